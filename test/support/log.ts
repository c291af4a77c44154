/** A logger that collects its lines. */
export function createLog() {
  const lines: { level: string; message: string; fields: object | undefined }[] = [];
  const write = (level: string) => (message: string, fields?: object) =>
    void lines.push({ level, message, fields });
  /** The messages of a level. */
  const at = (wanted: string) => lines.filter(({ level }) => level === wanted).map(({ message }) => message);
  return {
    lines,
    at,
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
}

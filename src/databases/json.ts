/** The value of a JSON text that a database stores; `null` if it was changed by hand and is no JSON. */
export function jsonOrNull(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

const TONES: Readonly<Record<string, string>> = {
  success: "good",
  completed: "good",
  running: "busy",
  pending: "idle",
  failure: "bad",
  refused: "bad",
  timeout: "bad",
};

/** A status as a small mark: the word says it, the color only helps. */
export function Status({ of }: { of: string }) {
  return <span class={`mark ${TONES[of] ?? "idle"}`}>{of}</span>;
}

export function HttpStatus({ status }: { status: number | null }) {
  if (status === null) return <span class="mark bad">no answer</span>;
  return <span class={`mark ${status < 400 ? "good" : status < 500 ? "warn" : "bad"}`}>{status}</span>;
}

import { ENDING_SIGNALS, type EndingSignal } from "./terminal.js";

/** A signal may come twice at once: from the terminal, and from a parent process such as `npx`. */
const REPEATED_MS = 200;

/**
 * Calls back at each signal of a process, once if it is repeated at once. The returned function stops this; the process then ends
 * at the next signal, but not at a repeated one.
 */
export function onSignals(
  source: Pick<NodeJS.Process, "on" | "off">,
  listener: (signal: EndingSignal) => void,
): () => void {
  let receivedAt = Number.NEGATIVE_INFINITY;
  const repeatedForMs = () => receivedAt + REPEATED_MS - performance.now();
  const receive = (signal: EndingSignal) => {
    if (repeatedForMs() > 0) return;
    receivedAt = performance.now();
    listener(signal);
  };
  const remove = () => {
    for (const signal of ENDING_SIGNALS) source.off(signal, receive);
  };
  for (const signal of ENDING_SIGNALS) source.on(signal, receive);
  return () => {
    const ms = repeatedForMs();
    if (ms > 0) setTimeout(remove, ms).unref();
    else remove();
  };
}

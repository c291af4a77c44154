import type { AsyncMusic } from "../../index.js";
import type { EndingSignal, Surroundings } from "../terminal/surroundings.js";

/** How long an answer that names the task is worth waiting for, once somebody wants to leave. */
const PATIENCE_MS = 2000;

/** Somebody ended the command: what the task's state is then, `report` tells. */
export class Interrupted extends Error {
  override name = "Interrupted";
  readonly signal: EndingSignal;

  constructor(signal: EndingSignal) {
    super(`Interrupted by ${signal}.`);
    this.signal = signal;
  }
}

export interface Interruption {
  /** Aborted when the command is to end. */
  readonly signal: AbortSignal;
  /** The task's id is known: nothing is lost any more. */
  taskIsKnown(): void;
  end(): void;
}

/**
 * Ends a command on Ctrl-C and its like. A POST that is under way gets two seconds more for its answer, since that
 * names a task that is paid for; a second Ctrl-C gives it up.
 */
export function listenForInterruption(client: AsyncMusic, { onSignal, stderr }: Surroundings): Interruption {
  const controller = new AbortController();
  let isSending = false;
  let wanted: EndingSignal | null = null;
  let patience: ReturnType<typeof setTimeout> | undefined;

  const abort = () => {
    if (wanted === null) return;
    // What can't be aborted, such as a file system that hangs, the next Ctrl-C ends as if nobody listened.
    stopListening();
    controller.abort(new Interrupted(wanted));
  };
  /** Nothing is on its way any more. */
  const leave = () => {
    isSending = false;
    abort();
  };
  const stopListening = onSignal((signal) => {
    const isFirst = wanted === null;
    wanted ??= signal;
    if (!isSending || !isFirst) return abort();
    stderr.write("\nThe request is on its way: waiting 2 s for its answer. Ctrl-C gives that up.\n");
    patience = setTimeout(abort, PATIENCE_MS);
  });
  const stops = [
    stopListening,
    client.on("attempt", ({ method }) => {
      if (method === "POST") isSending = true;
    }),
    client.on("answer", ({ method, status }) => {
      // An answer that accepts the task is yet to be read, and recorded in the journal.
      if (method === "POST" && (status === null || status >= 300)) leave();
    }),
  ];
  return {
    signal: controller.signal,
    taskIsKnown: leave,
    end() {
      clearTimeout(patience);
      for (const stop of stops) stop();
    },
  };
}

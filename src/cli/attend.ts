import { printableLine } from "../contract/text.js";
import type { AsyncMusic, JournalError, Task, TaskSubmission, TaskType } from "../index.js";
import type { Delays } from "./delays.js";
import { createProgressLine } from "./progress.js";
import { Interrupted, TaskFault, type TaskFlags, unrecordedWarning } from "./report.js";
import { type EndingSignal, type Terminal, usdOf } from "./terminal.js";

/** How long an interrupted command waits for the response to its POST, which has the ID of a charged task. */
const RESPONSE_GRACE_MS = 2000;

/** A task that a command submits or waits for. */
export interface Attended {
  client: AsyncMusic;
  /** The delays of the client's requests. */
  delays: Delays;
  flags: TaskFlags;
  terminal: Terminal;
  /** What the task makes; `null` if only its ID is known. */
  type: TaskType | null;
  /** `null` for a task that is not submitted yet. */
  knownTaskId: string | null;
}

/** Options for `run` and `wait` of the SDK. */
export interface AttendOptions {
  signal: AbortSignal;
  onSubmitted(submission: TaskSubmission): void;
  onUnrecorded(error: JournalError): void;
  onUpdate(task: Task): void;
  maxWaitMs?: number;
}

/**
 * Shows the progress of a task while `begin` runs, then hands its result to `deliver`. Every error is thrown as a
 * `TaskFault`, with the task ID if it is known.
 *
 * @param deliver - also receives whether this command created the task
 */
export async function attendTask<Result>(
  { client, delays, flags, terminal, knownTaskId }: Attended,
  begin: (options: AttendOptions) => Promise<Result>,
  deliver: (result: Result, signal: AbortSignal, wasCharged: boolean) => void | Promise<void>,
): Promise<void> {
  const clock = terminal.client?.clock ?? Date;
  const interruption = listenForInterruption(client, terminal);
  const progress = createProgressLine(terminal, () => clock.now());
  delays.onDelay = progress.pause;
  let taskId = knownTaskId;
  let isUnrecorded = false;
  let wasCharged = false;
  const stops = [
    client.on("answer", ({ method, status }) => {
      if (method === "POST" && status !== null && status < 300) wasCharged = true;
    }),
    client.on("pause", ({ until }) => progress.pause(until)),
  ];
  try {
    const result = await begin({
      signal: interruption.signal,
      onSubmitted({ task_id, credits_charged: credits }) {
        taskId = task_id;
        const id = printableLine(task_id);
        progress.say(
          task_id === knownTaskId
            ? `The key already has task ${id}: nothing is sent or charged again.`
            : `Task ${id} is submitted, and ${credits} credits (${usdOf(credits)}) are frozen for it.`,
        );
        interruption.taskIsKnown();
      },
      onUnrecorded(error) {
        isUnrecorded = true;
        progress.say(unrecordedWarning(error, flags.journal ?? ""));
      },
      onUpdate(task) {
        taskId = task.task_id;
        progress.show(task);
        interruption.taskIsKnown();
      },
      ...(flags.maxWait !== undefined && { maxWaitMs: flags.maxWait }),
    });
    progress.end();
    await deliver(result, interruption.signal, wasCharged);
  } catch (error) {
    throw new TaskFault(error, taskId, flags, isUnrecorded);
  } finally {
    progress.end();
    interruption.end();
    for (const stop of stops) stop();
  }
}

interface Interruption {
  /** Aborted when the command must end. */
  readonly signal: AbortSignal;
  /** An abort loses nothing from now on. */
  taskIsKnown(): void;
  end(): void;
}

/** Ends a command on Ctrl-C. While a POST is in flight, its response gets two more seconds; a second Ctrl-C stops that. */
function listenForInterruption(client: AsyncMusic, { onSignal, stderr }: Terminal): Interruption {
  const controller = new AbortController();
  let isSending = false;
  let received: EndingSignal | null = null;
  let grace: ReturnType<typeof setTimeout> | undefined;

  const abort = () => {
    if (received === null) return;
    // The next signal ends the process, even if something does not react to the abort.
    stopListening();
    controller.abort(new Interrupted(received));
  };
  const sendingEnded = () => {
    isSending = false;
    abort();
  };
  const stopListening = onSignal((signal) => {
    const isFirst = received === null;
    received ??= signal;
    if (!isSending || !isFirst) return abort();
    stderr.write(
      "\nThe request is in flight: waiting 2 s for its response. Press Ctrl-C again to stop now.\n",
    );
    grace = setTimeout(abort, RESPONSE_GRACE_MS);
  });
  const stops = [
    stopListening,
    client.on("attempt", ({ method }) => {
      if (method === "POST") isSending = true;
    }),
    client.on("answer", ({ method, status }) => {
      // A success has yet to be read and recorded in the journal.
      if (method === "POST" && (status === null || status >= 300)) sendingEnded();
    }),
  ];
  return {
    signal: controller.signal,
    taskIsKnown: sendingEnded,
    end() {
      clearTimeout(grace);
      for (const stop of stops) stop();
    },
  };
}

import { printableLine } from "../../contract/text.js";
import type { AsyncMusic, JournalError, Task, TaskSubmission, TaskType } from "../../index.js";
import { unrecordedWarning } from "../advice.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { usdOf } from "../terminal/words.js";
import { listenForInterruption } from "./interruption.js";
import { createProgressLine } from "./progress-line.js";
import { TaskFault, type TaskFlags } from "./task-fault.js";

/** Whose task is attended to, and for whom. */
export interface Attended {
  /** What the task makes; `null` where only its id is known. */
  type: TaskType | null;
  client: AsyncMusic;
  flags: TaskFlags;
  surroundings: Surroundings;
  /** `null` for a task that is still to be submitted. */
  knownTaskId: string | null;
}

/** What the SDK is handed to wait with. */
export interface WatchOptions {
  signal: AbortSignal;
  onSubmitted(submission: TaskSubmission): void;
  onUnrecorded(error: JournalError): void;
  onUpdate(task: Task): void;
  maxWaitMs?: number;
}

/** Begins what leads to a result. */
export type Begin<Result> = (options: WatchOptions) => Promise<Result>;

/**
 * Shows a person what becomes of a task, and delivers what comes of it, with whether this command has created it. What
 * goes wrong is thrown with the id of the task, as far as that is known.
 */
export async function attendTask<Result>(
  { client, flags, surroundings, knownTaskId }: Attended,
  begin: Begin<Result>,
  deliver: (result: Result, signal: AbortSignal, wasCharged: boolean) => void | Promise<void>,
): Promise<void> {
  const clock = surroundings.client?.clock ?? Date;
  const interruption = listenForInterruption(client, surroundings);
  const progress = createProgressLine(
    surroundings,
    () => clock.now(),
    () => client.rateLimit,
  );
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
      onSubmitted(submission) {
        taskId = submission.task_id;
        const { credits_charged: credits } = submission;
        progress.say(
          taskId === knownTaskId
            ? `Task ${printableLine(taskId)} stands under this key: nothing is sent or paid again.`
            : `Task ${printableLine(taskId)} is submitted, and ${credits} credits (${usdOf(credits)}) are frozen for it.`,
        );
        interruption.taskIsKnown();
      },
      onUnrecorded(error) {
        isUnrecorded = true;
        progress.say(unrecordedWarning(error, flags.journal ?? ""));
      },
      onUpdate(update) {
        taskId = update.task_id;
        progress.show(update);
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

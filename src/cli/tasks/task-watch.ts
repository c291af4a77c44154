import type { AsyncMusic, JournalError, SucceededTask, Task, TaskSubmission } from "../../index.js";
import { unrecordedWarning } from "../advice.js";
import type { WaitFlags } from "../flags.js";
import { stylesFor } from "../terminal/colour.js";
import { writeJson } from "../terminal/json.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { minutesOf, plain, usdOf } from "../terminal/words.js";
import { listenForInterruption } from "./interruption.js";
import { choosePlace, type Place } from "./place.js";
import { createProgressLine } from "./progress-line.js";
import { type SavedFile, saveResult } from "./save-result.js";
import { TaskFault, type TaskFlags } from "./task-fault.js";

/** What the SDK is handed to wait with. */
export interface WatchOptions {
  signal: AbortSignal;
  onSubmitted(submission: TaskSubmission): void;
  onUnrecorded(error: JournalError): void;
  onUpdate(task: Task): void;
  maxWaitMs?: number;
}

/** Waits for a task as a person is to see it, and saves what it made. */
export async function watchTask(
  client: AsyncMusic,
  flags: TaskFlags,
  surroundings: Surroundings,
  knownTaskId: string | null,
  begin: (options: WatchOptions) => Promise<SucceededTask>,
): Promise<void> {
  const place = flags.download ? await choosePlace(flags.out) : null;
  await attendTask(client, flags, surroundings, knownTaskId, begin, (task, signal) =>
    deliver(client, task, place, flags, surroundings, signal),
  );
}

/**
 * Shows a person what becomes of a task, and delivers what comes of it. What goes wrong is thrown with the id of the
 * task, as far as that is known.
 */
export async function attendTask<Result>(
  client: AsyncMusic,
  flags: TaskFlags,
  surroundings: Surroundings,
  knownTaskId: string | null,
  begin: (options: WatchOptions) => Promise<Result>,
  deliver: (result: Result, signal: AbortSignal) => void | Promise<void>,
): Promise<void> {
  const clock = surroundings.client?.clock ?? Date;
  const interruption = listenForInterruption(client, surroundings);
  const progress = createProgressLine(surroundings, () => clock.now());
  let taskId = knownTaskId;
  let isUnrecorded = false;
  try {
    const result = await begin({
      signal: interruption.signal,
      onSubmitted(submission) {
        taskId = submission.task_id;
        const { credits_charged: credits } = submission;
        progress.say(
          taskId === knownTaskId
            ? `Task ${taskId} stands under this key: nothing is sent or paid again.`
            : `Task ${taskId} is submitted, and ${credits} credits (${usdOf(credits)}) are frozen for it.`,
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
    await deliver(result, interruption.signal);
  } catch (error) {
    throw new TaskFault(error, taskId, flags, isUnrecorded);
  } finally {
    progress.end();
    interruption.end();
  }
}

/** Writes the results: files and their paths, or what stands for them where nothing is to be saved. */
async function deliver(
  client: AsyncMusic,
  task: SucceededTask,
  place: Place | null,
  flags: WaitFlags,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { stdout, stderr, env } = surroundings;
  const style = stylesFor(stderr, env);
  stderr.write(
    `${style("green", "Done.")} It cost ${task.credits_cost} credits (${usdOf(task.credits_cost)}).\n`,
  );
  const files: SavedFile[] = [];
  if (place !== null) {
    for await (const { file, title, seconds } of saveResult(client, task, place, signal)) {
      files.push(file);
      const length = seconds === undefined ? "" : `, ${minutesOf(seconds)}`;
      if (title !== undefined) stderr.write(`${style("bold", plain(title))}${length}\n`);
      if (!flags.json) stdout.write(`${file.path}\n`);
    }
  } else if (!flags.json) {
    stdout.write(textOf(task));
  }
  if (flags.json) writeJson(stdout, { task, files });
}

function textOf({ output: { result } }: SucceededTask): string {
  if (Array.isArray(result)) return result.map(({ audio_url: url }) => `${plain(url)}\n`).join("");
  return `${plain(result.text).trimEnd()}\n`;
}

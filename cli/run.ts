import { findRequestViolation, warningsAbout } from "../src/contract/request-rules.js";
import type { TaskType } from "../src/contract/service.js";
import { printable, printableLine } from "../src/contract/text.js";
import {
  type AsyncMusic,
  isLyrics,
  type RunOptions,
  type SucceededTask,
  type TaskSubmission,
  WaitTimeoutError,
} from "../src/index.js";
import { fileJournal } from "../src/node/index.js";
import { connect } from "./account.js";
import { createObservedPacer } from "./delays.js";
import type { RunFlags, TaskFlags } from "./flags.js";
import { checkJournalDirectory } from "./journal.js";
import { ProgressLine } from "./progress.js";
import { resumeCommand, TaskFault, unrecordedWarning } from "./report.js";
import { requestFromFlags } from "./request.js";
import { chooseTarget, clipsOf, type SavedFile, saveResult } from "./save.js";
import { SendingWatch } from "./sending-watch.js";
import {
  commandName,
  minutesText,
  priceText,
  stylesFor,
  type Terminal,
  UsageError,
  writeResult,
} from "./terminal.js";

/** A command that submits a task or waits for one. */
interface Job {
  client: AsyncMusic;
  progress: ProgressLine;
  flags: TaskFlags;
  terminal: Terminal;
  /** What the task makes; `null` if only its ID is known. */
  type: TaskType | null;
  /** `null` for a task that is not submitted yet. */
  knownTaskId: string | null;
  begin(options: Options): Promise<SucceededTask>;
}

type Options = Pick<RunOptions, "onUnrecorded" | "onUpdate" | "maxWaitMs"> & {
  signal: AbortSignal;
  onSubmitted(submission: TaskSubmission): void;
};

/** Submits a task. Waits for it and saves its result, or with `--no-wait` only writes its ID. */
export async function runTask(
  type: TaskType | undefined,
  flags: RunFlags,
  terminal: Terminal,
): Promise<void> {
  const { journal: path, key: journalKey } = flags;
  if ((path === undefined) !== (journalKey === undefined))
    throw new UsageError("--journal and --key need each other. Pass both, or neither.");
  if (path !== undefined) checkJournalDirectory(path);
  const journal = path === undefined ? undefined : fileJournal(path);
  const connected = connectWithProgress(flags, terminal);
  const request = await requestFromFlags(type, flags, terminal.stdin);
  // The SDK refuses an invalid request, and then warns about nothing.
  if (findRequestViolation(request) === null)
    for (const warning of warningsAbout(request))
      terminal.stderr.write(`async-music: ${printableLine(warning)}\n`);
  // If the journal can't be read, `run` reports that.
  const entry = await journal?.get(journalKey ?? "").catch(() => null);
  const knownTaskId = entry?.state === "submitted" ? entry.task_id : null;
  const begin: Job["begin"] = (options) =>
    connected.client.tasks.run(request, { ...options, journal, journalKey, probe: journal !== undefined });
  const job = { ...connected, flags, terminal, type: request.task_type, knownTaskId, begin };
  await (flags.wait ? waitAndSave(job) : submitAndLeave(job));
}

/** Waits for a task that was submitted before, and saves its result. */
export async function waitForTask(taskId: string, flags: TaskFlags, terminal: Terminal): Promise<void> {
  if (taskId.trim() === "") throw new UsageError("The task ID is empty. Pass the ID that `run` printed.");
  const connected = connectWithProgress(flags, terminal);
  const begin: Job["begin"] = ({ signal, onUpdate, maxWaitMs }) =>
    connected.client.tasks.wait(taskId, { signal, onUpdate, maxWaitMs });
  await waitAndSave({ ...connected, flags, terminal, type: null, knownTaskId: taskId, begin });
}

/** A client, and a progress line that shows how long the rate limit delays its requests. */
function connectWithProgress(flags: TaskFlags, terminal: Terminal): Pick<Job, "client" | "progress"> {
  const clock = terminal.client?.clock ?? Date;
  const progress = new ProgressLine(terminal, () => clock.now());
  const client = connect(flags, terminal, { pacer: createObservedPacer((until) => progress.delay(until)) });
  return { client, progress };
}

async function waitAndSave(job: Job): Promise<void> {
  const { client, progress, type, knownTaskId, begin, terminal } = job;
  const { download, out, force = false, journal, json } = job.flags;
  const { stdout, stderr, env } = terminal;
  const target = download ? await chooseTarget(out, type, force) : null;
  const now = () => (terminal.client?.clock ?? Date).now();
  await attend(job, async (options) => {
    const task = await begin(options);
    progress.line.end();
    const price = priceText(task.credits_cost);
    const isEarlier = journal !== undefined && task.task_id === knownTaskId;
    const cost = isEarlier ? `An earlier run with this journal key cost ${price}.` : `It cost ${price}.`;
    const style = stylesFor(stderr, env);
    stderr.write(`${style("green", "Done.")} ${cost}\n`);
    const files: SavedFile[] = [];
    const { signal } = options;
    if (target !== null)
      await saveResult(task, { client, target, signal, now }, ({ file, title, seconds, isNew }) => {
        files.push(file);
        const length = seconds === undefined ? "" : `, ${minutesText(seconds)}`;
        const note = isNew ? "" : ", saved before";
        if (title !== undefined) stderr.write(`${style("bold", printableLine(title))}${length}${note}\n`);
        if (!json) stdout.write(`${file.path}\n`);
      });
    writeResult(terminal, json, { task, files }, target === null ? resultText(task) : "");
  });
}

/** The URLs of the audio, or the lyrics. */
function resultText(task: SucceededTask): string {
  const clips = clipsOf(task);
  if (clips !== null) return clips.map(({ audio_url: url }) => `${printableLine(url)}\n`).join("");
  const text = isLyrics(task) ? task.output.result.text : JSON.stringify(task.output?.result ?? null);
  return `${printable(text).trimEnd()}\n`;
}

async function submitAndLeave(job: Job): Promise<void> {
  const { flags, progress, terminal } = job;
  await attend(job, async (options) => {
    const task = await untilSubmitted(job.begin, options);
    progress.line.end();
    const title =
      flags.journal === undefined
        ? "To continue with the task:"
        : "Run the same command without --no-wait to continue with the task, or:";
    const resume = printableLine(resumeCommand(commandName(terminal), task.task_id, flags));
    terminal.stderr.write(`${title}\n\n  ${resume}\n`);
    writeResult(terminal, flags.json, { task }, `${printableLine(task.task_id)}\n`);
  });
}

/** Stops `run` once the task is submitted. For a key that was settled, only the ID is known. */
async function untilSubmitted(
  begin: Job["begin"],
  options: Options,
): Promise<Pick<TaskSubmission, "task_id">> {
  const leaving = new AbortController();
  let submitted: TaskSubmission | null = null;
  const onSubmitted = (submission: TaskSubmission) => {
    submitted = submission;
    options.onSubmitted(submission);
    leaving.abort();
  };
  const signal = AbortSignal.any([options.signal, leaving.signal]);
  try {
    const task = await begin({ ...options, signal, onSubmitted, maxWaitMs: 1 });
    return submitted ?? task;
  } catch (error) {
    if (submitted !== null && error === leaving.signal.reason) return submitted;
    if (error instanceof WaitTimeoutError) return { task_id: error.taskId };
    throw error;
  }
}

/** Shows the progress of a task during `work`. Every error is thrown as a `TaskFault`, with the task ID if it is known. */
async function attend(
  { client, progress, flags, terminal, knownTaskId }: Job,
  work: (options: Options) => Promise<void>,
): Promise<void> {
  const sending = new SendingWatch(client, terminal);
  progress.line.start();
  let taskId = knownTaskId;
  let isUnrecorded = false;
  const options: Options = {
    signal: sending.signal,
    maxWaitMs: flags.maxWait,
    onSubmitted({ task_id, credits_charged: credits }) {
      taskId = task_id;
      const id = printableLine(task_id);
      progress.line.say(
        task_id === knownTaskId
          ? `The key already has task ${id}, so nothing is sent or charged again.`
          : `Task ${id} is submitted, and ${priceText(credits)} are frozen for it.`,
      );
      sending.ended();
    },
    onUnrecorded(error) {
      isUnrecorded = true;
      progress.line.say(
        unrecordedWarning(error, { ...flags, journal: flags.journal ?? "" }, commandName(terminal)),
      );
    },
    onUpdate(task) {
      taskId = task.task_id;
      progress.show(task, () => client.tasks.estimate(task));
      sending.ended();
    },
  };
  try {
    await work(options);
  } catch (error) {
    throw new TaskFault(error, taskId, isUnrecorded ? { ...flags, journal: undefined } : flags);
  } finally {
    progress.line.end();
    sending.stop();
  }
}

import { printable, printableLine } from "../contract/text.js";
import {
  isLyrics,
  type SucceededTask,
  type TaskSubmission,
  type TaskType,
  WaitTimeoutError,
} from "../index.js";
import { fileJournal } from "../node/index.js";
import { connect } from "./account.js";
import { type Attended, type AttendOptions, attendTask } from "./attend.js";
import { createDelays } from "./delays.js";
import type { RunFlags, WaitFlags } from "./flags.js";
import { resumeCommand } from "./report.js";
import { requestOf } from "./request.js";
import { chooseTarget, clipsOf, type SavedFile, saveResult, type Target } from "./save.js";
import { minutesOf, stylesFor, type Terminal, UsageError, usdOf, writeJson } from "./terminal.js";

type Begin = (options: AttendOptions) => Promise<SucceededTask>;

/** Submits a task. Waits for it and saves its result, or with `--no-wait` only writes its ID. */
export async function runTask(
  type: TaskType | undefined,
  flags: RunFlags,
  terminal: Terminal,
): Promise<void> {
  const { journal: path, key } = flags;
  if ((path === undefined) !== (key === undefined))
    throw new UsageError("--journal and --key must be used together.");
  const keyed =
    path === undefined || key === undefined
      ? undefined
      : { journal: fileJournal(path), journalKey: key, probe: true };
  const delays = createDelays();
  const client = connect(flags, terminal, delays.pacer);
  const request = await requestOf(type, flags, terminal.stdin);
  // If the journal can't be read, `run` reports that.
  const entry = await keyed?.journal.get(keyed.journalKey).catch(() => null);
  const knownTaskId = entry?.state === "submitted" ? entry.task_id : null;
  const attended = { client, delays, flags, terminal, type: request.task_type, knownTaskId };
  const begin: Begin = (options) => client.tasks.run(request, { ...options, ...keyed });
  await (flags.wait ? waitAndSave(attended, begin) : submitAndLeave(attended, begin));
}

/** Waits for a task that was submitted before, and saves its result. */
export async function waitForTask(taskId: string, flags: WaitFlags, terminal: Terminal): Promise<void> {
  const delays = createDelays();
  const client = connect(flags, terminal, delays.pacer);
  // A task that was submitted long ago is read at once, since it may have ended.
  const submission: TaskSubmission = {
    task_id: taskId,
    type: "music",
    status: "pending",
    credits_charged: 0,
    created_at: new Date(0).toISOString(),
    audio_format: null,
  };
  await waitAndSave(
    { client, delays, flags, terminal, type: null, knownTaskId: taskId },
    ({ signal, onUpdate, maxWaitMs }) => client.tasks.wait(submission, { signal, onUpdate, maxWaitMs }),
  );
}

async function waitAndSave(attended: Attended, begin: Begin): Promise<void> {
  const { type, flags, terminal } = attended;
  const { download, out, force = false, journal } = flags;
  const target = download ? await chooseTarget(out, type, force) : null;
  await attendTask(attended, begin, (task, signal, wasCharged) => {
    const price = `${task.credits_cost} credits (${usdOf(task.credits_cost)})`;
    const isEarlier = journal !== undefined && !wasCharged;
    const cost = isEarlier ? `An earlier run with this key paid ${price} for it.` : `It cost ${price}.`;
    terminal.stderr.write(`${stylesFor(terminal.stderr, terminal.env)("green", "Done.")} ${cost}\n`);
    return deliver(attended, task, target, signal);
  });
}

/** Writes the result: the paths of the saved files, or with `--no-download` the URLs or the lyrics. */
async function deliver(
  { client, flags: { json }, terminal: { stdout, stderr, env } }: Attended,
  task: SucceededTask,
  target: Target | null,
  signal: AbortSignal,
): Promise<void> {
  const style = stylesFor(stderr, env);
  const files: SavedFile[] = [];
  if (target !== null) {
    await saveResult(client, task, target, signal, ({ file, title, seconds, isNew }) => {
      files.push(file);
      const length = seconds === undefined ? "" : `, ${minutesOf(seconds)}`;
      const note = isNew ? "" : ", saved before";
      if (title !== undefined) stderr.write(`${style("bold", printableLine(title))}${length}${note}\n`);
      if (!json) stdout.write(`${file.path}\n`);
    });
  } else if (!json) {
    stdout.write(textOf(task));
  }
  if (json) writeJson(stdout, { task, files });
}

function textOf(task: SucceededTask): string {
  const clips = clipsOf(task);
  if (clips !== null) return clips.map(({ audio_url: url }) => `${printableLine(url)}\n`).join("");
  const text = isLyrics(task) ? task.output.result.text : JSON.stringify(task.output.result);
  return `${printable(text).trimEnd()}\n`;
}

async function submitAndLeave(attended: Attended, begin: Begin): Promise<void> {
  const { flags, terminal } = attended;
  const submit = (options: AttendOptions) => submissionOf(begin, options);
  await attendTask(attended, submit, (task) => {
    const again =
      flags.journal === undefined
        ? "To continue with the task:"
        : "Run the same command without --no-wait to continue with the task, or:";
    const resume = printableLine(resumeCommand(task.task_id, flags));
    terminal.stderr.write(`${again}\n\n  ${resume}\n`);
    if (flags.json) writeJson(terminal.stdout, { task });
    else terminal.stdout.write(`${printableLine(task.task_id)}\n`);
  });
}

/** Stops `run` once the task is submitted. For a key that was settled, only the ID is known. */
async function submissionOf(begin: Begin, options: AttendOptions): Promise<Pick<TaskSubmission, "task_id">> {
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

import { setImmediate, setTimeout } from "node:timers/promises";
import { isTaskType, type TaskType } from "../../src/contract/service.js";
import { messageOfThrown } from "../../src/contract/thrown.js";
import { createRedactor } from "../../src/errors/redactor.js";
import { type AsyncMusic, CreditCeilingError, type Journal } from "../../src/index.js";
import { fileJournal } from "../../src/node/index.js";
import { connect } from "../account.js";
import { createObservedPacer } from "../delays.js";
import { SOME_FAILED } from "../exit-status.js";
import type { BatchFlags } from "../flags.js";
import { checkJournalDirectory } from "../journal.js";
import { unrecordedWarning } from "../report.js";
import { checkWritable } from "../save.js";
import { RESPONSE_GRACE_MS } from "../sending-watch.js";
import { commandName, Interrupted, priceText, type Terminal, UsageError, writeResult } from "../terminal.js";
import { checkLines } from "./check.js";
import { confirm } from "./confirm.js";
import { findEarlierFiles, moveEarlierFiles } from "./earlier-files.js";
import { readBatchFile } from "./file.js";
import { BatchFileError } from "./mistakes.js";
import {
  type BatchPrice,
  findTakenNames,
  markHopeless,
  type PlannedLine,
  planLines,
  priceOfLines,
} from "./plan.js";
import { BatchDisplay } from "./progress.js";
import {
  type Item,
  itemOf,
  type LineResult,
  noteHopeless,
  readResults,
  takeOver,
  writeFailed,
} from "./results.js";
import { ResultsWriter } from "./results-writer.js";
import { writeSummary } from "./summary.js";
import { BatchWork } from "./work.js";

/** Orders the requests of a file, waits for their tasks and saves the results. Returns the exit status. */
export async function runBatch(file: string, flags: BatchFlags, terminal: Terminal): Promise<number> {
  if (flags.out === "") throw new UsageError("--out is empty. Pass a directory.");
  checkJournalDirectory(flags.journal);
  const now = () => (terminal.client?.clock ?? Date).now();
  let onDelay: (until: Date | null) => void = () => {};
  const client = connect(flags, terminal, { pacer: createObservedPacer((until) => onDelay(until)) });
  const journal = fileJournal(flags.journal);

  await checkWritable(flags.out);
  const earlier = await readResults(flags.out);
  const planned = await readLines(file, { flags, journal, earlier }, terminal);
  const lines = await markHopeless(planned, journal, client);
  const price = priceOfLines(lines);
  checkCeiling(price, flags.maxCredits);
  await confirmPrice(lines, price, client, flags, terminal);

  // Before the orders, so that no crash leaves both attempts side by side.
  await moveEarlierFiles(findEarlierFiles(lines, earlier), flags.out);
  const items = lines.map(itemOf);
  const open: Item[] = [];
  for (const item of items) {
    if (item.line.hopelessTaskId !== null) noteHopeless(item);
    else if (!(await takeOver(item, earlier.get(item.line.id), flags.out))) open.push(item);
  }
  const progress = new BatchDisplay(terminal, now, items.length, items.length - open.length);
  onDelay = (until) => progress.delay(until);
  return complete(items, open, { client, journal, progress, now }, flags, terminal);
}

/** The lines of the file, with their orders in the journal. @throws BatchFileError names all mistakes */
async function readLines(
  file: string,
  { flags, journal, earlier }: { flags: BatchFlags; journal: Journal; earlier: Map<string, LineResult> },
  { env }: Terminal,
): Promise<PlannedLine[]> {
  const content = await readBatchFile(file);
  const { checked, mistakes } = checkLines(content.lines);
  const found = [...content.mistakes, ...mistakes];
  if (found.length > 0) throw new BatchFileError(file, found);
  if (checked.length === 0) throw new UsageError(`${file} has no requests. Nothing was sent.`);
  const plan = await planLines(checked, journal, env["ASYNC_MUSIC_API_KEY"]);
  const own = new Set(findEarlierFiles(plan.planned, earlier).map(({ name }) => name));
  const taken = await findTakenNames(plan.planned, flags.out, own);
  const conflicts = [...plan.mistakes, ...taken];
  if (conflicts.length > 0)
    throw new BatchFileError(`${file}, with the journal ${flags.journal},`, conflicts);
  return plan.planned;
}

function checkCeiling({ credits, spentCredits }: BatchPrice, maxCredits: number): void {
  if (credits > 0 && spentCredits + credits > maxCredits)
    throw new CreditCeilingError({ credits, spentCredits, maxCredits });
}

/** Shows the price, and needs a confirmation on a terminal. Without a terminal, `--max-credits` is the consent. */
async function confirmPrice(
  lines: readonly PlannedLine[],
  { toPay, credits }: BatchPrice,
  client: AsyncMusic,
  { yes = false }: BatchFlags,
  terminal: Terminal,
): Promise<void> {
  const { stderr, isInteractive = false } = terminal;
  if (toPay.length === 0) {
    stderr.write(`${amountText(lines)}: all are ordered already, so nothing is charged now.\n`);
    return;
  }
  const { available } = await client.account.balance();
  const before = lines.length - toPay.length;
  const ordered = before === 0 ? "" : ` (${before} of ${lines.length} lines need no payment)`;
  stderr.write(`${amountText(toPay)}, ${priceText(credits)}; the balance has ${available}${ordered}.\n`);
  if (available < credits)
    stderr.write(
      `The balance lacks ${credits - available} credits. Without an automatic top-up, the batch stops when it is used up.\n`,
    );
  if (yes || !isInteractive) return;
  if (!(await confirm("Order?", terminal))) throw new UsageError("Nothing was sent.");
}

/** What the task types make, in the singular and the plural. */
const NOUNS: Readonly<Record<TaskType, readonly [one: string, several: string]>> = {
  music: ["song", "songs"],
  lyrics: ["set of lyrics", "sets of lyrics"],
  upload: ["upload", "uploads"],
  concat: ["whole song", "whole songs"],
};

/** `12 songs, 1 upload` */
function amountText(lines: readonly PlannedLine[]): string {
  const types = [...new Set(lines.map(({ request }) => request.task_type))];
  return types
    .map((type) => {
      const count = lines.filter(({ request }) => request.task_type === type).length;
      const [one, several] = isTaskType(type) ? NOUNS[type] : [type, type];
      return `${count} ${count === 1 ? one : several}`;
    })
    .join(", ");
}

interface Tools {
  client: AsyncMusic;
  journal: Journal;
  progress: BatchDisplay;
  now(): number;
}

/** Completes the open items, and writes the results. */
async function complete(
  items: readonly Item[],
  open: readonly Item[],
  { client, journal, progress, now }: Tools,
  flags: BatchFlags,
  terminal: Terminal,
): Promise<number> {
  const end = watchSignals(client, progress, terminal);
  const writer = new ResultsWriter(
    flags.out,
    items,
    createRedactor(terminal.env["ASYNC_MUSIC_API_KEY"] ?? ""),
  );
  const work = new BatchWork({
    ...{ client, journal, now, out: flags.out, concurrency: flags.concurrency, signal: end.signal },
    onEnded({ line, result }) {
      const text = result.error?.message ?? result.files.map(({ path }) => path).join(", ");
      progress.ended(line.id, text, result.status !== "success");
      writer.changed();
    },
    onSaved({ path }) {
      if (flags.json) return;
      progress.line.clear();
      terminal.stdout.write(`${path}\n`);
    },
    onUnrecorded: (error) => progress.line.say(unrecordedWarning(error, flags, commandName(terminal))),
  });
  progress.line.start();
  try {
    await work.complete(open);
    await end.settled();
  } finally {
    progress.line.end();
    end.stop();
  }
  const isInterrupted = end.signal.aborted;
  const writeFiles = async () => {
    await writer.write();
    // A file that is interrupted may be this one: its other lines must not be lost.
    if (!isInterrupted && work.stoppedBy === null) await writeFailed(flags.out, items);
  };
  const notWritten = await writeFiles().then(() => null, messageOfThrown);
  // Even if no file can be written: the orders with an unknown outcome must be named.
  writeSummary(items, notWritten, flags, terminal);
  const results = items.map(({ result }) => result);
  if (isInterrupted) throw end.signal.reason;
  if (work.stoppedBy !== null) throw work.stoppedBy;
  writeResult(terminal, flags.json, { results }, "");
  return notWritten === null && results.every(({ status }) => status === "success") ? 0 : SOME_FAILED;
}

/** Ctrl-C aborts all waits at once. The responses in flight get two more seconds, unless another signal arrives. */
function watchSignals(client: AsyncMusic, progress: BatchDisplay, { onSignal, stderr }: Terminal) {
  const abort = new AbortController();
  const hurry = new AbortController();
  const stop = onSignal((signal) => {
    if (abort.signal.aborted) hurry.abort();
    abort.abort(new Interrupted(signal));
    progress.line.end();
  });
  return {
    signal: abort.signal,
    stop,
    /** After a signal: resolves when the process can end. */
    async settled(): Promise<void> {
      if (!abort.signal.aborted) return;
      const flushed = client.tasks.flush().then(() => true);
      if ((await Promise.race([flushed, setImmediate()])) !== true && !hurry.signal.aborted)
        stderr.write(
          "\nRequests are in flight. Waiting up to 2 s for their responses. Press Ctrl-C again to stop now.\n",
        );
      const grace = setTimeout(RESPONSE_GRACE_MS, undefined, { signal: hurry.signal }).catch(() => {});
      await Promise.race([grace, flushed]);
      hurry.abort();
    },
  };
}

import { join } from "node:path";
import { sentence } from "../../src/contract/message.js";
import { printableLine } from "../../src/contract/text.js";
import type { BatchFlags } from "../flags.js";
import { serviceFlag, settleCommand } from "../report.js";
import { commandName, priceText, shellWord, stylesFor, type Terminal } from "../terminal.js";
import { FAILED_FILE, hasFailed, type Item, RESULTS_FILE } from "./results.js";

/**
 * Writes to stderr how a batch has ended, and what to do next.
 *
 * @param notWritten - why the results could not be written; `null` if they were
 */
export function writeSummary(
  items: readonly Item[],
  notWritten: string | null,
  flags: BatchFlags,
  terminal: Terminal,
): void {
  const { stderr, env } = terminal;
  const isAll = notWritten === null && items.every(({ result }) => result.status === "success");
  const style = stylesFor(stderr, env);
  const title = isAll ? style("green", "Done.") : style("yellow", "Not complete.");
  const lines = [
    `${title} ${countsText(items)} ${costText(items)}`,
    notWritten === null ? `Results: ${join(flags.out, RESULTS_FILE)}` : sentence(notWritten),
    ...unknownLines(items, flags, commandName(terminal)),
    ...(notWritten === null ? nextLines(items, flags, commandName(terminal)) : [TO_WRITE]),
  ];
  stderr.write(`${lines.map((line) => (line.startsWith(title) ? line : printableLine(line))).join("\n")}\n`);
}

const TO_WRITE = "Fix the path or the disk, and run the same command again. It pays for nothing twice.";

function countsText(items: readonly Item[]): string {
  const count = (isCounted: (item: Item) => boolean) => items.filter(isCounted).length;
  const saved = count(({ result }) => result.status === "success");
  const unknown = count(({ result }) => result.status === "unknown");
  const failed = count((item) => hasFailed(item) && isTried(item));
  const waiting = items.length - saved - unknown - failed;
  const parts = [
    `${saved} of ${items.length} saved`,
    failed === 0 ? [] : `${failed} failed`,
    waiting === 0 ? [] : `${waiting} not finished`,
    unknown === 0 ? [] : `${unknown} with an unknown outcome`,
  ];
  return `${parts.flat().join(", ")}.`;
}

/** Whether a line without a result has failed, as opposed to one that was not reached. */
function isTried({ result }: Item): boolean {
  return result.error !== null || result.status === "failure" || result.status === "timeout";
}

function costText(items: readonly Item[]): string {
  const credits = items.reduce((sum, { result }) => sum + (result.credits ?? 0), 0);
  const isKnown = items.every(({ result }) => result.credits !== null);
  return `All lines together cost ${priceText(credits)}${isKnown ? "" : ", and what is unknown"}.`;
}

/** How to settle each order with an unknown outcome. */
function unknownLines(items: readonly Item[], flags: BatchFlags, command: string): string[] {
  const unknown = items.filter(({ result }) => result.status === "unknown");
  if (unknown.length === 0) return [];
  const settle = unknown.flatMap(({ line: { key, entry }, result }) => {
    const requestId = result.error?.requestId ?? entry?.request_id;
    const about = requestId === undefined ? "" : `, request ${requestId}`;
    return [
      "",
      `  ${JSON.stringify(key)}${about}:`,
      `  ${settleCommand(command, key, flags, "--task-id TASK_ID")}`,
      `  ${settleCommand(command, key, flags, "--not-created")}`,
    ];
  });
  return [
    "",
    "Whether these orders created a task and were charged is unknown. They are never sent again by themselves.",
    `Wait 2 minutes. Then find out whether the task exists: \`${command} usage${serviceFlag(flags)}\` counts it, and the operator of`,
    "the service may find it by its request. Record the outcome of each with one of its two commands:",
    ...settle,
    "",
  ];
}

function nextLines(items: readonly Item[], flags: BatchFlags, command: string): string[] {
  const { journal, out } = flags;
  const isStarted = items.some(
    ({ line, result }) => line.hopelessTaskId === null && !ENDED.includes(result.status),
  );
  const hasFailed = items.some(({ isUsedUp }) => isUsedUp);
  const isHopeless = items.some(({ line }) => line.hopelessTaskId !== null);
  const file = join(out, FAILED_FILE);
  const more = `--out ${shellWord(out)} --journal ${shellWord(journal)} --max-credits N${serviceFlag(flags)}`;
  return [
    isStarted ? "To continue, run the same command again. It pays for nothing twice." : [],
    isHopeless ? `Lines were not sent whose requests can never succeed. Change them in ${file} first.` : [],
    hasFailed || isHopeless
      ? `To order what failed once more, which is charged: ${command} batch ${shellWord(file)} ${more}`
      : [],
  ].flat();
}

/** The statuses of a line for which nothing is left to do. */
const ENDED: readonly string[] = ["success", "failure", "timeout"];

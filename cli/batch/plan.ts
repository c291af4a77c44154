import { readdir } from "node:fs/promises";
import { canonicalJson } from "../../src/contract/canonical-json.js";
import { listedPrice } from "../../src/contract/prices.js";
import { messageOfThrown } from "../../src/contract/thrown.js";
import { createRedactor } from "../../src/errors/redactor.js";
import {
  type AsyncMusic,
  type Journal,
  type JournalEntry,
  JournalError,
  TaskNotFoundError,
} from "../../src/index.js";
import { isFreed } from "../../src/journal/entries.js";
import { ignoring } from "../../src/node/durable.js";
import { costOfEntry } from "../entry-cost.js";
import { uncheckedRequest } from "../request.js";
import { EXTENSIONS } from "../save.js";
import { type BatchLine, shownId } from "./check.js";
import { foldedName } from "./file-names.js";
import type { Mistake } from "./mistakes.js";

/** A line with its order in the journal. */
export interface PlannedLine extends BatchLine {
  /** The key of the order. */
  key: string;
  /** What the journal has under the key; `null` if the order is still to be paid for. */
  entry: JournalEntry | null;
  /** What the attempts before this one have cost or may have cost, without refunds. */
  earlierCredits: number;
  /** The earlier attempt's task, of which the service said that this request can never succeed: it is not sent again. */
  hopelessTaskId: string | null;
}

/** What a batch costs. */
export interface BatchPrice {
  /** The lines to be paid for. */
  toPay: readonly PlannedLine[];
  /** What they cost, in credits. */
  credits: number;
  /** What all attempts in the journal have cost or may have cost, without refunds. */
  spentCredits: number;
}

/**
 * The journal key of an attempt: the `id`, with a slash and the number from the second attempt on. No `id` contains a slash.
 */
export function keyOf(id: string, attempt: number): string {
  return attempt === 1 ? id : `${id}/${attempt}`;
}

/**
 * Finds the order of each line in the journal: the last one, if a file for what had failed has ordered further attempts, which may
 * have another request. A line whose own key belongs to another request is a mistake.
 */
export async function planLines(
  lines: readonly BatchLine[],
  journal: Journal,
  apiKey: string | undefined,
): Promise<{ planned: PlannedLine[]; mistakes: Mistake[] }> {
  const redactor = createRedactor(apiKey ?? "");
  const planned: PlannedLine[] = [];
  const mistakes: Mistake[] = [];
  for (const line of lines) {
    const request = canonicalJson(redactor.data(line.request));
    let found: PlannedLine = {
      ...{ ...line, key: keyOf(line.id, line.attempt), hopelessTaskId: null },
      entry: await orderAt(journal, keyOf(line.id, line.attempt)),
      earlierCredits: await costBefore(journal, line),
    };
    if (found.entry !== null && canonicalJson(found.entry.request) !== request)
      mistakes.push(conflictOf(line));
    while (found.entry !== null && hasEnded(found.entry)) {
      const attempt = found.attempt + 1;
      const key = keyOf(line.id, attempt);
      const entry = await orderAt(journal, key);
      if (entry === null) break;
      const earlierCredits = found.earlierCredits + costOfEntry(found.entry);
      const request = uncheckedRequest(Object(entry.request));
      found = { ...found, attempt, key, entry, earlierCredits, request };
    }
    planned.push(found);
  }
  return { planned, mistakes };
}

/** What the journal has under a key; `null` if the key is free. */
async function orderAt(journal: Journal, key: string): Promise<JournalEntry | null> {
  const entry = await entryAt(journal, key);
  return entry === null || isFreed(entry) ? null : entry;
}

async function entryAt(journal: Journal, key: string): Promise<JournalEntry | null> {
  return journal.get(key).catch((cause: unknown) => {
    const what = `The entry of ${JSON.stringify(key)} in the journal could not be read`;
    const parts = { what, why: messageOfThrown(cause), facts: ["Nothing was sent."] };
    throw new JournalError(parts, { journalKey: key, cause });
  });
}

/** What the attempts before that of a line have cost: the audio of one that is not refunded may have expired. */
async function costBefore(journal: Journal, { id, attempt }: BatchLine): Promise<number> {
  let credits = 0;
  for (let earlier = 1; earlier < attempt; earlier++) {
    const entry = await entryAt(journal, keyOf(id, earlier));
    if (entry !== null) credits += costOfEntry(entry);
  }
  return credits;
}

function hasEnded(entry: JournalEntry): boolean {
  return entry.state === "submitted" && entry.status !== undefined;
}

function conflictOf({ id, number, attempt }: BatchLine): Mistake {
  const name = shownId(id);
  return {
    line: number,
    message: `The journal has another request for \`id\` ${name}${attempt === 1 ? "" : `, attempt ${attempt}`}. Restore the line, or choose a new \`id\`, which is charged.`,
  };
}

/**
 * Marks the orders that repeat a request of which the service has said `retryable: false` (Errors: Task failure classes). It
 * reads the earlier attempt's task, since the journal does not record why a task failed.
 */
export async function markHopeless(
  lines: readonly PlannedLine[],
  journal: Journal,
  client: AsyncMusic,
): Promise<PlannedLine[]> {
  return Promise.all(
    lines.map(async (line) => {
      if (line.entry !== null || line.attempt === 1) return line;
      const earlier = await entryAt(journal, keyOf(line.id, line.attempt - 1));
      if (earlier?.state !== "submitted" || earlier.status !== "failure") return line;
      if (canonicalJson(earlier.request) !== canonicalJson(line.request)) return line;
      const task = await client.tasks.retrieve(earlier.task_id).catch((error: unknown) => {
        if (error instanceof TaskNotFoundError) return null;
        throw error;
      });
      return task?.retryable === false ? { ...line, hopelessTaskId: task.task_id } : line;
    }),
  );
}

/**
 * Files that the results of new orders would have to replace: those of another batch, or of the user.
 *
 * @param own - the names of files that are moved before the new orders
 */
export async function findTakenNames(
  lines: readonly PlannedLine[],
  out: string,
  own: ReadonlySet<string>,
): Promise<Mistake[]> {
  const names = (await readdir(out).catch(ignoring("ENOENT"))) ?? [];
  const stems = new Map<string, string>();
  for (const name of names) {
    const [, stem] = RESULT_NAME.exec(name) ?? [];
    if (stem === undefined || own.has(name)) continue;
    // A further clip has the number after the `id`.
    for (const each of [stem, stem.replace(/-\d+$/, "")]) stems.set(foldedName(each), name);
  }
  return lines.flatMap(({ id, number, entry }) => {
    const name = entry === null ? stems.get(foldedName(id)) : undefined;
    if (name === undefined) return [];
    const message = `${JSON.stringify(name)} exists in --out. Move it, or choose another \`id\`.`;
    return [{ line: number, message }];
  });
}

const RESULT_NAME = new RegExp(`^(.+)\\.(?:${[...EXTENSIONS, "txt"].join("|")})$`, "i");

export function priceOfLines(lines: readonly PlannedLine[]): BatchPrice {
  const toPay = lines.filter(({ entry, hopelessTaskId }) => entry === null && hopelessTaskId === null);
  const sum = (credits: readonly number[]) => credits.reduce((total, each) => total + each, 0);
  return {
    toPay,
    credits: sum(toPay.map(({ request }) => listedPrice(request) ?? 0)),
    spentCredits: sum(
      lines.map(({ entry, earlierCredits }) => earlierCredits + (entry === null ? 0 : costOfEntry(entry))),
    ),
  };
}

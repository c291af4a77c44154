import { type MessageParts, sentences } from "../contract/message.js";
import { messageOfThrown } from "../contract/thrown.js";
import type { ErrorDetails } from "../errors/base.js";
import { brand } from "../errors/brand.js";
import { JournalError } from "../errors/task-errors.js";
import type { JournalEntry, JournalIntent, OpenOrder } from "./journal.js";

/**
 * `journal.open()` could not read every entry. `orders` has the open keys among the others, and the message names each
 * damaged entry. Its key may be open: a run with it rejects with `JournalError` and sends nothing. `journalKey` is the first
 * of `damagedKeys`, or empty if there is none.
 */
export class JournalDamagedError extends JournalError {
  static {
    brand(this, "JournalDamagedError");
  }

  /** The open keys among the readable entries, oldest first; of `planned()` in `async-music/postgres`, the planned keys. */
  declare readonly orders: readonly OpenOrder[];

  /** The keys of the damaged entries; an entry may be damaged so far that its key is unknown. */
  declare readonly damagedKeys: readonly string[];

  constructor(
    message: string | MessageParts,
    details: ErrorDetails & { orders: readonly OpenOrder[]; damagedKeys: readonly string[] },
  ) {
    super(message, { ...details, journalKey: details.damagedKeys[0] ?? "" });
  }
}

export interface DamagedEntry {
  key: string | null;
  cause: unknown;
}

/** Orders what a journal lists: oldest first. */
export function bySince(one: { since: string; key: string }, other: { since: string; key: string }): number {
  return one.since.localeCompare(other.since) || one.key.localeCompare(other.key);
}

/**
 * The open keys among these entries, oldest first.
 *
 * @throws JournalDamagedError there are damaged entries as well
 */
export function listOpen(
  entries: Iterable<readonly [key: string, entry: JournalEntry]>,
  damaged: readonly DamagedEntry[] = [],
): OpenOrder[] {
  const open = [...entries].filter(([, entry]) =>
    entry.state === "intent" ? isOpenIntent(entry) : entry.status === undefined,
  );
  return listReadable(open, damaged, "open");
}

/**
 * These entries as orders, oldest first.
 *
 * @throws JournalDamagedError there are damaged entries as well
 */
export function listReadable(
  entries: readonly (readonly [key: string, entry: JournalEntry])[],
  damaged: readonly DamagedEntry[],
  kind: "open" | "planned",
): OpenOrder[] {
  const orders = entries
    .map(([key, entry]) => ({
      key,
      state: entry.state,
      task_id: entry.state === "submitted" ? entry.task_id : null,
      request_id: entry.request_id,
      since: entry.at,
    }))
    .sort(bySince);
  if (damaged.length === 0) return orders;
  const reasons = damaged.map(({ key, cause }) => {
    const reason = messageOfThrown(cause);
    return `${key === null ? "" : `key ${JSON.stringify(key)}: `}${reason}`;
  });
  throw new JournalDamagedError(
    {
      what: `Failed to read ${damaged.length} of the journal's entries`,
      why: sentences(reasons),
      codeAdvice: [`\`orders\` lists the ${kind} journal keys of the others.`],
    },
    { orders, damagedKeys: damaged.flatMap(({ key }) => key ?? []), cause: damaged[0]?.cause },
  );
}

/** The customer of an order. Entries of older versions have it in the reservation only. */
export function tenantOf({ tenant, reservation }: JournalEntry): string | undefined {
  return tenant ?? reservation?.tenant;
}

/** Whether the key is free, since it was settled as not created or is planned: a run treats it as empty. */
export function isFreed<Entry extends JournalEntry>(
  entry: Entry,
): entry is Entry & { state: "intent"; settled: true } {
  return entry.state === "intent" && entry.settled === true;
}

/** Whether a POST of this entry may be in flight, or have an unknown outcome. */
export function isOpenIntent(entry: JournalEntry): entry is JournalIntent {
  return entry.state === "intent" && !isFreed(entry);
}

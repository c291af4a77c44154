import { resolve } from "node:path";
import { messageOfThrown } from "../../src/contract/thrown.js";
import { fileJournal, readFileJournal } from "../../src/node/file-journal.js";
import { connect } from "../account.js";
import type { ConnectionFlags } from "../flags.js";
import { checkJournalPath } from "../journal.js";
import type { SettleFlags } from "../report.js";
import { checkWritable } from "../save.js";
import { type Terminal, UsageError } from "../terminal.js";

export interface McpFlags extends ConnectionFlags {
  journal?: string;
  maxCredits?: number;
  out: string;
}

/** What the server needs. The paths are absolute: agents and users work in other directories. */
export type Setup = Awaited<ReturnType<typeof prepare>>;

/**
 * Checks the flags, the directories and the account. A server whose directories can't be written would fail
 * in every call.
 *
 * @throws UsageError names everything that is missing or unusable
 */
export async function prepare(flags: McpFlags, terminal: Terminal) {
  const problems: string[] = [];
  const collect = async <Value>(work: () => Value | Promise<Value>): Promise<Value | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
      return null;
    }
  };
  const maxCredits = flags.maxCredits ?? null;
  if (maxCredits === null)
    problems.push(
      "Missing --max-credits: the most that all orders of the journal may cost together, in credits.",
    );
  const journalPath = await collect(() => {
    checkJournalPath(flags.journal ?? "");
    return writableDirectory("--journal", flags.journal);
  });
  const out = await collect(() => writableDirectory("--out", flags.out));
  const client = await collect(() => connect(flags, terminal));
  const isComplete = maxCredits !== null && journalPath !== null && out !== null && client !== null;
  if (!isComplete || problems.length > 0) throw new UsageError(problems.join(" "));
  const journal = fileJournal(journalPath);
  const readJournal = () => readFileJournal(journalPath);
  const clock: { now(): number } = terminal.client?.clock ?? Date;
  const settleFlags: SettleFlags = { journal: journalPath, baseUrl: flags.baseUrl };
  return { client, clock, journal, readJournal, settleFlags, maxCredits, out };
}

/** The absolute path of a directory that exists or can be created, and in which files can be created. */
async function writableDirectory(flag: string, path: string | undefined): Promise<string> {
  if (path === undefined) throw new UsageError(`Missing ${flag}: the directory that records the orders.`);
  if (path === "") throw new UsageError(`${flag} is empty. Pass a directory.`);
  const directory = resolve(path);
  await checkWritable(directory).catch(({ cause }: Error) => {
    // The path in Node's message is that of a temporary file.
    const [reason] = messageOfThrown(cause).split(", ");
    throw new UsageError(
      `${flag} must be a directory in which files can be created; got ${directory} (${reason}).`,
    );
  });
  return directory;
}

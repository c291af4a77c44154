import { AsyncMusicError } from "../../errors/base.js";
import type { Execute } from "./client.js";
import { NOW, STATUS } from "./table.js";

/** A statement begins this long before the end of its call, so that its commit does not end later. */
const COMMIT_MS = 1000;

/** The time of the server after which a statement of this call must not begin, in milliseconds since the epoch. */
export async function writeUntil(execute: Execute, leftMs: () => number): Promise<number> {
  const [server] = await execute(NOW, []);
  return Number(server?.["now"]) + leftMs() - COMMIT_MS;
}

/** Checks that a transaction was committed; with `null`, that nothing was written. @throws AsyncMusicError */
export async function checkCommitted(
  execute: Execute,
  transaction: unknown,
  owner: "journal" | "budget",
): Promise<void> {
  if (transaction === null) return;
  const [found] = await execute(STATUS, [transaction]);
  if (found?.["status"] !== "committed")
    throw new AsyncMusicError({
      what: `The ${owner}'s connection is in a transaction, which may be rolled back`,
      codeAdvice: ["In a transaction, call `plan` of the journal, and `run` after COMMIT."],
    });
}

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { BudgetError, type Journal, JournalError } from "async-music";
import { fileJournal } from "async-music/node";
import { postgresJournal } from "async-music/postgres";
import { redisBudget, redisJournal } from "async-music/redis";
import { expect, test } from "vitest";
import { createFolder } from "../support/folder.js";
import { rejection } from "../support/rejection.js";
import { SONG_REQUEST, serveAnew } from "../support/responses.js";
import { createWorld } from "../support/world.js";

/** A database of which no address accepts a connection: the error of Node has no message. */
function refuse(): Promise<never> {
  const errors = ["::1", "127.0.0.1"].map((address) => new Error(`connect ECONNREFUSED ${address}:1`));
  return Promise.reject(Object.assign(new AggregateError(errors), { code: "ECONNREFUSED" }));
}

const REFUSED = "connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1";
const PASSWORD = "p4ssw0rd";

async function expectReason(journal: Required<Journal>, message: string): Promise<void> {
  for (const method of ["open", "unacknowledged"] as const) {
    const error = await rejection(journal[method](), JournalError);
    expect(error).toMatchObject({ message, journalKey: "", taskId: null, sent: false });
    expect(inspect(error, { depth: 9 })).not.toContain(PASSWORD);
  }
}

test("a list of a journal whose directory is a file rejects with the reason", async () => {
  const path = join(await createFolder(), "journal");
  await writeFile(path, "");
  const message = `Failed to list the entries of the journal in ${path}: ENOTDIR: not a directory, scandir '${path}'.`;
  await expectReason(fileJournal(path), message);
});

test("a list of a journal in PostgreSQL that is refused rejects with the reason, and shows no password", async () => {
  // Without the code of a refused login, it is tried again for 10 s.
  const refusal = Object.assign(new Error(`no postgres://user:${PASSWORD}@db.example`), { code: "28P01" });
  const message = "Failed to list the entries of the journal in PostgreSQL: no postgres://db.example.";
  await expectReason(postgresJournal({ query: () => Promise.reject(refusal) }), message);
});

test("lists, runs and reservations reject with the reason where the error of the database has no message", async () => {
  const journal = redisJournal({ eval: refuse });
  await expectReason(journal, `Failed to list the entries of the journal in Redis: ${REFUSED}.`);
  const { client } = createWorld(serveAnew);
  const journaled = client.tasks.run(SONG_REQUEST, { journal, journalKey: "order-1" });
  const { message } = await rejection(journaled, JournalError);
  expect(message).toContain(`the entry could not be read: ${REFUSED}. Nothing was sent.`);
  const budget = redisBudget({ eval: refuse }, { maxCredits: 20, per: "day" });
  const unreserved = await rejection(client.tasks.run(SONG_REQUEST, { budget, tenant: "acme" }), BudgetError);
  expect(unreserved.message).toContain(`credits of tenant "acme": ${REFUSED}. Nothing was sent.`);
});

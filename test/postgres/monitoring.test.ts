import { readFileSync } from "node:fs";
import type { Journal, TaskRequest } from "async-music";
import { postgresJournal } from "async-music/postgres";
import { expect, test } from "vitest";
import { journalEntry } from "../support/journals.js";
import { SONG_REQUEST, TASK_ID } from "../support/responses.js";
import { connectPool, createTable, planAlone } from "./connections.js";

const page = readFileSync("docs/postgres.md", "utf8");

/** The statement of the page that begins so, for another table. */
function statementFor(table: string, begin: string): string {
  const statements = [...page.matchAll(/^```sql\n(.*?)^```/gms)].map(([, statement = ""]) => statement);
  const found = statements.filter((statement) => statement.startsWith(begin));
  expect(found).toHaveLength(1);
  return String(found[0]).replace("async_music_journal", table);
}

const PROMPTS = {
  plain: "rain in Lisbon",
  "U+0000": "a\u0000b",
  "a high surrogate": "\ud800",
  "a low surrogate": "x\udfff",
  "a surrogate before a pair": "\ud83c\ud83c\udfb5",
  "a pair": "\ud83c\udfb5",
  "the escape as text": "\\u0000",
  "the escape as text at the end of a backslash": "\\\\u0000\\ud800",
  "a backslash before U+0000": "\\\u0000",
  "a field of the entry": '"task_id":"no task"',
  "both, twice": "\u0000\ud800\u0000\ud800",
};

test.each(Object.entries(PROMPTS))(
  "the page's statements list every state, and the keys of a task, with the prompt: %s",
  async (_, prompt) => {
    const table = await createTable();
    const pool = connectPool();
    const journal = postgresJournal(pool, { table });
    const request = {
      model: "provider_b",
      task_type: "music",
      input: { prompt: `song ${prompt}`, task_id: prompt },
      task_id: prompt,
    } as TaskRequest;
    const fields = { request: JSON.parse(JSON.stringify(request)) };
    await planAlone(pool, journal, "planned", request);
    await journal.put("intent", journalEntry("intent", fields), null);
    await journal.put("submitted", journalEntry("submitted", fields), null);
    await journal.put("ended", journalEntry("submitted", { ...fields, status: "success" }), null);

    const { rows } = await pool.query(statementFor(table, "SELECT key, state"));
    expect(rows).toEqual([
      { key: "planned", state: "planned", changed_at: expect.any(Date), task_id: null },
      { key: "intent", state: "intent", changed_at: expect.any(Date), task_id: null },
      { key: "submitted", state: "submitted", changed_at: expect.any(Date), task_id: TASK_ID },
    ]);
    const keysOfTask = statementFor(table, "SELECT key FROM").replace("TASK_ID", TASK_ID);
    expect((await pool.query(keysOfTask)).rows.map(({ key }) => key).sort()).toEqual(["ended", "submitted"]);
    expect((await journal.planned()).map((order) => order.request)).toEqual([request]);
  },
);

test("the page's sample cancels a planned order, and leaves an order alone that a run has taken", async () => {
  const [, sample = ""] = /^(const entry = await journal\.get.*?)^```/ms.exec(page) ?? [];
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const cancel = new AsyncFunction("journal", "console", sample);
  const silent = { log() {} };
  const pool = connectPool();
  const journal = postgresJournal(pool, { table: await createTable() });
  const revisionOf = async () => (await journal.get("order-1"))?.revision;
  const plan = async () => {
    await planAlone(pool, journal, "order-1", SONG_REQUEST);
    return (await revisionOf()) ?? null;
  };

  const planned = await plan();
  expect(planned).not.toBeNull();
  await cancel(journal, silent);
  expect(await journal.get("order-1")).toBeNull();

  for (const state of ["intent", "submitted"] as const) {
    const taken = journalEntry(state);
    expect(await journal.put("order-1", taken, await plan())).toBe(true);
    await cancel(journal, silent);
    expect(await revisionOf()).toBe(taken.revision);
    await journal.delete("order-1", taken.revision);
  }

  const revision = await plan();
  const taken = journalEntry("intent");
  const taking: Journal = {
    ...journal,
    async get(key) {
      const entry = await journal.get(key);
      await journal.put(key, taken, revision);
      return entry;
    },
  };
  await cancel(taking, silent);
  expect(await revisionOf()).toBe(taken.revision);
});

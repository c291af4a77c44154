import { setTimeout } from "node:timers/promises";
import { AsyncMusic, JournalError } from "async-music";
import { createEmulator } from "async-music/emulator";
import { type PostgresClient, postgresJournal } from "async-music/postgres";
import type { Pool } from "pg";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { journalEntry } from "../support/journals.js";
import { SONG_REQUEST } from "../support/responses.js";
import { connectBreakingPool, connectPool, createTable } from "./connections.js";
import { ServerProxy } from "./server-proxy.js";

const KEYS = Array.from({ length: 16 }, (_, index) => `order-${index}`);

function connectThrough(proxy: ServerProxy, options: ConstructorParameters<typeof Pool>[0] = {}): Pool {
  const pool = connectBreakingPool({ ...proxy.connection, ...options });
  // Before the pool ends, which waits for the responses.
  onTestFinished(() => proxy.cut());
  return pool;
}

describe("a call ends after 10 s", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  const refused = () =>
    Promise.reject(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }));
  const tries: Record<string, PostgresClient["query"]> = {
    "never settles": () => new Promise(() => {}),
    "fails at once": refused,
    "fails after 4 s": () => new Promise((resolve) => globalThis.setTimeout(resolve, 4000)).then(refused),
    "fails once, then never settles": vi
      .fn()
      .mockImplementationOnce(refused)
      .mockReturnValue(new Promise(() => {})),
  };
  const calls = {
    get: (journal) => journal.get("order-1"),
    put: (journal) => journal.put("order-1", journalEntry("intent"), null),
    "put over an entry": (journal) => journal.put("order-1", journalEntry("intent"), "revision"),
    delete: (journal) => journal.delete("order-1", "revision"),
    open: (journal) => journal.open(),
    planned: (journal) => journal.planned(),
  } satisfies Record<string, (journal: ReturnType<typeof postgresJournal>) => Promise<unknown>>;
  const cases = Object.entries(calls).flatMap(([name, call]) =>
    Object.entries(tries).map(([behavior, query]) => [name, behavior, call, query] as const),
  );

  test.each(cases)("`%s`, if each try %s", async (_name, _behavior, call, query) => {
    const sent = vi.fn(query);
    const onEnd = vi.fn();
    call(postgresJournal({ query: sent })).catch(onEnd);
    await vi.advanceTimersByTimeAsync(9999);
    expect(onEnd).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(onEnd).toHaveBeenCalledExactlyOnceWith(expect.any(Error));
    const tries = sent.mock.calls.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toHaveBeenCalledTimes(tries);
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** The outage begins as soon as a run writes its first intent. */
async function failToWriteIntents(hold: readonly ("requests" | "responses")[]) {
  const table = await createTable();
  const proxy = await ServerProxy.start();
  const pool = connectThrough(proxy, { max: 16, connectionTimeoutMillis: 3000 });
  const journal = postgresJournal(pool, { table });
  const emulator = createEmulator();
  onTestFinished(() => emulator[Symbol.asyncDispose]());
  const client = new AsyncMusic(emulator.connection());
  await Promise.all(KEYS.map((key) => journal.get(key)));
  proxy.onRequest = (text) => {
    if (text.includes("INSERT INTO")) proxy.hold(...hold);
  };
  const run = (key: string, own = journal) =>
    client.tasks.run(SONG_REQUEST, { journal: own, journalKey: key });
  const startedAt = performance.now();
  const errors = await Promise.all(KEYS.map((key) => run(key).catch((error: unknown) => error)));
  const lastedMs = performance.now() - startedAt;
  for (const error of errors) {
    expect(error).toBeInstanceOf(JournalError);
    expect(error).toMatchObject({ taskId: null });
  }
  // 10 s for the intent, and at most 1 s to take it back. The rest is for a busy machine: the exact limit is tested above.
  expect(lastedMs).toBeLessThan(40_000);
  expect(emulator.requests).toEqual([]);
  proxy.onRequest = () => {};
  return { table, proxy, emulator, run, journal };
}

describe("an outage while 16 runs write their intents", () => {
  test("leaves no key in flight, although the statements arrive after it", async () => {
    const { table, proxy, emulator, run } = await failToWriteIntents(["requests"]);
    proxy.release();
    // As another process, which knows nothing of these runs.
    const journal = postgresJournal(connectPool(), { table });
    await setTimeout(500);
    expect(await journal.open()).toEqual([]);
    await Promise.all(KEYS.map((key) => run(key, journal)));
    expect(emulator.state().tasks).toHaveLength(KEYS.length);
  });

  test("whose responses arrive after it leaves no key in flight", async () => {
    const { table, proxy, emulator, run } = await failToWriteIntents(["responses"]);
    const journal = postgresJournal(connectPool(), { table });
    proxy.release();
    await vi.waitUntil(async () => (await journal.open()).length === 0, { timeout: 60_000 });
    await Promise.all(KEYS.map((key) => run(key, journal)));
    expect(emulator.state().tasks).toHaveLength(KEYS.length);
  });

  test("whose responses are lost is recognized by the next runs of the process", async () => {
    const { proxy, emulator, run, journal } = await failToWriteIntents(["responses"]);
    proxy.cut();
    proxy.release();
    await Promise.all(KEYS.map((key) => run(key)));
    expect(emulator.state().tasks).toHaveLength(KEYS.length);
    expect(await journal.open()).toEqual([]);
  });
});

import { setImmediate } from "node:timers/promises";
import {
  AsyncMusic,
  InvalidOptionError,
  type Journal,
  type JournalEntry,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  settleNotCreated,
  settleOutcome,
} from "async-music";
import { createEmulator } from "async-music/emulator";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { journalEntry } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { SONG_REQUEST, TASK_ID } from "../support/responses.js";

const AT = "2026-01-01T00:00:00.000Z";
const clockAt = (ms: number) => ({ now: () => Date.parse(AT) + ms });
const OLD = { clock: clockAt(120_000) };

function createAccount() {
  const emulator = createEmulator();
  const client = new AsyncMusic(emulator.connection());
  const journal = memoryJournal();
  const run = (journalKey: string) => client.tasks.run(SONG_REQUEST, { journal, journalKey, probe: true });
  /** As a worker leaves it that is killed after it has read the usage. */
  const leaveIntent = async (key: string, fields: Partial<JournalEntry> = {}) => {
    const { tasks_created } = await client.account.usage();
    await journal.put(
      key,
      journalEntry("intent", { revision: key, tasks_created, ...fields } as object),
      null,
    );
  };
  const settle = (options: Parameters<typeof settleNotCreated>[2] = {}) =>
    settleNotCreated(client, journal, { ...OLD, ...options });
  const keysOf = async (orders: ReturnType<typeof settle>) => (await orders).map(({ key }) => key);
  return { emulator, client, journal, run, leaveIntent, settle, keysOf };
}

test("a key whose POST created nothing is freed, and its next run creates one task", async () => {
  const { emulator, run, leaveIntent, settle, journal } = createAccount();
  await run("order-0");
  await leaveIntent("order-1");
  await rejection(run("order-1"), SubmissionOutcomeUnknownError);
  expect(await settle()).toEqual([]);
  expect(await journal.open()).toEqual([]);
  await run("order-1");
  expect(emulator.state().tasks).toHaveLength(2);
});

test("a list that repeats a key settles it once, and returns a key that is left once", async () => {
  const { client, journal, leaveIntent, keysOf } = createAccount();
  const repeating = {
    ...journal,
    open: async () => (await journal.open()).flatMap((order) => [order, order]),
  };
  const settle = (olderThanMs: number) =>
    keysOf(settleNotCreated(client, repeating, { ...OLD, olderThanMs }));
  await leaveIntent("order-1");
  expect(await settle(130_000)).toEqual(["order-1"]);
  expect(await settle(120_000)).toEqual([]);
});

test("the age of an intent is computed by the clock of the client, unless another clock is passed", async () => {
  const { emulator, client, journal, leaveIntent } = createAccount();
  await leaveIntent("order-1", { at: new Date(emulator.clock.now()).toISOString() });
  expect(await settleNotCreated(client, journal)).toHaveLength(1);
  await emulator.clock.advance(119_999);
  expect(await settleNotCreated(client, journal)).toHaveLength(1);
  await emulator.clock.advance(1);
  expect(await settleNotCreated(client, journal)).toEqual([]);
});

test("by the system's clock, an object with a usage of its own settles an intent of an earlier year", async () => {
  const { client, journal, leaveIntent } = createAccount();
  await leaveIntent("order-1", { at: AT });
  const { account } = client;
  expect(await settleNotCreated({ account: { usage: () => account.usage() } }, journal)).toEqual([]);
});

test("a key whose POST created a task is left", async () => {
  const { emulator, run, settle, keysOf } = createAccount();
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  await rejection(run("order-1"), SubmissionOutcomeUnknownError);
  expect(await keysOf(settle({ journalKeys: ["order-1"], clock: clockAt(1e9) }))).toEqual(["order-1"]);
  await rejection(run("order-1"), SubmissionOutcomeUnknownError);
  expect(emulator.state().tasks).toHaveLength(1);
});

test("a key whose POST creates a task while its entry is read is left", async () => {
  const { client, journal, leaveIntent, keysOf } = createAccount();
  await leaveIntent("order-1");
  const meanwhile = {
    ...journal,
    async get(key: string) {
      await client.tasks.create(SONG_REQUEST);
      return journal.get(key);
    },
  };
  expect(await keysOf(settleNotCreated(client, meanwhile, OLD))).toEqual(["order-1"]);
});

test("tasks that the journal has are subtracted, if their keys are given", async () => {
  const { run, leaveIntent, settle, keysOf } = createAccount();
  await leaveIntent("order-1");
  await run("order-2");
  expect(await keysOf(settle())).toEqual(["order-1"]);
  expect(await keysOf(settle({ journalKeys: ["order-2", "order-1", "order-2", "no order"] }))).toEqual([]);
});

test("a task of another program leaves the key open", async () => {
  const { client, run, leaveIntent, settle, keysOf } = createAccount();
  await leaveIntent("order-1");
  await run("order-2");
  await client.tasks.create(SONG_REQUEST);
  expect(await keysOf(settle({ journalKeys: ["order-2"] }))).toEqual(["order-1"]);
});

test("a task that a person named is not subtracted", async () => {
  const { client, journal, leaveIntent, settle, keysOf } = createAccount();
  await leaveIntent("order-1");
  await leaveIntent("order-2");
  await client.tasks.create(SONG_REQUEST);
  await settleOutcome(journal, "order-2", TASK_ID);
  expect(await keysOf(settle({ journalKeys: ["order-2"] }))).toEqual(["order-1"]);
});

test("a run without `probe` leaves no evidence", async () => {
  const { leaveIntent, settle, keysOf } = createAccount();
  await leaveIntent("order-1", { tasks_created: null });
  expect(await keysOf(settle())).toEqual(["order-1"]);
});

test.each([
  [300_000, undefined, 390_000],
  [300_000, 0, 390_000],
  [300_000, 400_000, 400_000],
  [30_001, 0, 120_001],
  // A shorter limit than the default, or none, changes nothing.
  [30_000, undefined, 120_000],
  [30_000, 5000, 5000],
  [1, undefined, 120_000],
  [undefined, undefined, 120_000],
  [undefined, 5000, 5000],
  [undefined, 0, 0],
])("an intent with `timeout_ms` %s and `olderThanMs` %s stays %s ms", async (timeout_ms, olderThanMs, ms) => {
  for (const [late, left] of [
    [-1, 1],
    [0, 0],
    [1, 0],
  ] as const) {
    const { leaveIntent, settle } = createAccount();
    await leaveIntent("order-1", timeout_ms === undefined ? {} : { timeout_ms });
    expect(await settle({ olderThanMs, clock: clockAt(ms + late) })).toHaveLength(left);
  }
});

test("a key that another run has taken meanwhile is left alone", async () => {
  const { client, journal, leaveIntent } = createAccount();
  await leaveIntent("order-1");
  const usage = async () => {
    const read = await client.account.usage();
    await settleOutcome(journal, "order-1", null);
    const freed = await journal.get("order-1");
    await journal.put("order-1", journalEntry("intent", { revision: "new" }), freed?.revision ?? null);
    return read;
  };
  const left = await settleNotCreated({ account: { usage } }, journal, OLD);
  expect(left.map(({ key }) => key)).toEqual(["order-1"]);
  expect(await journal.get("order-1")).toMatchObject({ revision: "new" });
});

test("a journal whose list never comes rejects after 30 s", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { client, journal } = createAccount();
  const open = vi.fn(() => new Promise<never>(() => {}));
  const never = { ...journal, open };
  const settled = expect(settleNotCreated(client, never)).rejects.toThrow("no response within 30000 ms");
  while (open.mock.calls.length === 0) await setImmediate();
  await vi.advanceTimersByTimeAsync(30_000);
  await settled;
});

test("submitted keys are not touched, and without open intents nothing is read", async () => {
  const { emulator, journal, settle } = createAccount();
  await journal.put("order-1", journalEntry("submitted"), null);
  expect(await settle()).toEqual([]);
  expect(emulator.requests).toEqual([]);
});

test.each([
  ["journalKeys", { journalKeys: "order-1" }],
  ["journalKeys", { journalKeys: 1 }],
  ["olderThanMs", { olderThanMs: -1 }],
  ["clock", { clock: {} }],
  ["journalKey", { journalKey: "order-1" }],
])("an invalid `%s` is refused", async (option, options) => {
  const { settle } = createAccount();
  const error = await rejection(settle(options as never), InvalidOptionError);
  expect(error.message).toContain(option);
});

/** Each run reads the usage, then creates a task or not, then records it or not; foreign programs only create. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("begin" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom("record", "created", "nothing"), of: fc.nat() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("foreign" as const) }) },
);

test("in no history of concurrent runs, a key whose task exists is freed", async () => {
  let settled = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const journal = memoryJournal();
      const running: { key: string; sample: number }[] = [];
      const created = new Set<string>();
      let count = 100;
      let runs = 0;
      for (const next of steps) {
        if (next.kind === "begin") running.push({ key: `order-${runs++}`, sample: count });
        else if (next.kind === "foreign") count++;
        else {
          const [own] = running.splice(next.of % Math.max(1, running.length), 1);
          if (own === undefined) continue;
          const { key, sample: tasks_created } = own;
          if (next.kind !== "nothing") {
            count++;
            created.add(key);
          }
          const fields = { revision: key, tasks_created, task_id: `task of ${key}` };
          const state = next.kind === "record" ? "submitted" : "intent";
          await journal.put(key, journalEntry(state, fields as object), null);
        }
      }
      const journalKeys = Array.from({ length: runs }, (_, index) => `order-${index}`);
      const before = (await journal.open()).filter(({ state }) => state === "intent");
      const usage = async () => ({ tasks_created: count });
      const left = await settleNotCreated({ account: { usage } }, journal, { ...OLD, journalKeys });
      const freed = before.filter(({ key }) => !left.some((order) => order.key === key));
      settled += freed.length;
      expect(freed.filter(({ key }) => created.has(key))).toEqual([]);
    }),
    { numRuns: 300, seed: 1 },
  );
  expect(settled).toBeGreaterThan(20);
});

test("a `Journal` is accepted, and rejected by name if it cannot list its open orders", async () => {
  const { client, journal, leaveIntent } = createAccount();
  await leaveIntent("order-1");
  const { get, put, delete: remove } = journal;
  const passed: Journal = journal;
  expect(await settleNotCreated(client, passed, OLD)).toEqual([]);
  const lacking: Journal = { get, put, delete: remove };
  const error = await rejection(settleNotCreated(client, lacking, OLD), InvalidOptionError);
  expect(error.option).toBe("journal");
  expect(error.message).toContain("open");
});

import {
  AsyncMusic,
  AuthenticationError,
  type Fetch,
  type FollowedOrder,
  type FollowOptions,
  InvalidOptionError,
  InvalidResponseError,
  type Journal,
  JournalError,
  type JournalRecord,
  memoryBudget,
  memoryJournal,
  settleOutcome,
  TaskFailedError,
  TaskNotFoundError,
  TaskTimedOutError,
} from "async-music";
import type { Emulator } from "async-music/emulator";
import { test } from "async-music/emulator/vitest";
import { fileJournal } from "async-music/node";
import { describe, expect, onTestFinished } from "vitest";
import { held } from "../support/collect.js";
import { createFolder } from "../support/folder.js";
import { away } from "../support/journaled.js";
import { createLog } from "../support/log.js";
import { rejection } from "../support/rejection.js";
import { ok, succeeded } from "../support/responses.js";
import { createWorld, gaps } from "../support/world.js";

const REQUEST = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } } as const;
const UNKNOWN_ID = "0b9f3c2e-6a4d-4f3b-9a51-2f0c8b6d7e10";
const DAY_MS = 24 * 3_600_000;

/** A follower that a test asks for one order after the other. */
function start(client: AsyncMusic, journal: Journal, options: FollowOptions = {}) {
  const stop = new AbortController();
  const orders = client.tasks.follow(journal, { signal: stop.signal, ...options })[Symbol.asyncIterator]();
  const next = async (): Promise<FollowedOrder> => {
    const { value } = await orders.next();
    if (value === undefined) throw new Error("The iteration has ended.");
    return value;
  };
  const leave = async () => orders.return?.();
  onTestFinished(async () => void (await leave()));
  return { next, leave, stop };
}

/** Another process: its journal is an object of its own. */
const other = (journal: Required<Journal>): Required<Journal> => ({ ...journal });

/** A journal that can't be written while it is away. */
const failing = (journal: Required<Journal>, isAway: () => boolean): Required<Journal> => ({
  ...journal,
  put: (...entry) => (isAway() ? Promise.reject(away) : journal.put(...entry)),
});

const anotherClient = (emulator: Emulator) => new AsyncMusic(emulator.connection());

const submit = (client: AsyncMusic, journal: Journal, journalKey: string) =>
  client.tasks.create(REQUEST, { journal, journalKey });

/** A journal of orders with these keys. */
async function journalWith(client: AsyncMusic, ...keys: string[]): Promise<Required<Journal>> {
  const journal = memoryJournal();
  for (const key of keys) await submit(client, journal, key);
  return journal;
}

/** Replaces fields of an entry. */
async function change(journal: Journal, key: string, fields: Partial<JournalRecord>) {
  const entry = await journal.get(key);
  await journal.put(
    key,
    { ...entry, revision: crypto.randomUUID(), ...fields } as JournalRecord,
    entry?.revision ?? null,
  );
}

describe("follow yields", () => {
  test("each order that ends, acknowledged by the request for the next one", async ({ client }) => {
    const journal = memoryJournal();
    const { task_id } = await submit(client, journal, "a");
    const { next } = start(client, journal);
    const first = await next();
    expect(first).toMatchObject({
      deliveryId: `msg_${task_id}`,
      key: "a",
      task: { task_id, status: "success" },
    });
    expect(first).not.toHaveProperty("error");
    expect(await journal.get("a")).not.toHaveProperty("status");
    await submit(client, journal, "b");
    expect(await next()).toMatchObject({ key: "b" });
    const entry = await journal.get("a");
    expect(entry).toMatchObject({ status: "success", acknowledged: true });
    expect(entry).not.toHaveProperty("follower");
    expect((await journal.unacknowledged()).map(({ key }) => key)).toEqual(["b"]);
    expect((await journal.open()).map(({ key }) => key)).toEqual(["b"]);
  });

  test("what other processes submit later, by create or by run", async ({ client, emulator }) => {
    const journal = memoryJournal();
    const { next } = start(client, journal);
    const first = next();
    await submit(anotherClient(emulator), other(journal), "created");
    expect(await first).toMatchObject({ key: "created" });
    // Of the same client: two clients that wait for one task would read it too often.
    const run = client.tasks.run(REQUEST, { journal: other(journal), journalKey: "run" });
    expect(await next()).toMatchObject({ key: "run", task: { status: "success" } });
    expect((await run).status).toBe("success");
  });

  test("failures and timeouts with the errors of `wait`", async ({ client, emulator, breaks }) => {
    breaks("resent_not_retryable");
    const journal = memoryJournal();
    emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
    await submit(client, journal, "refused");
    const { next } = start(client, journal);
    const failure = await next();
    expect(failure).toMatchObject({ key: "refused", error: { errorCode: "content_moderation" } });
    expect(failure.error).toBeInstanceOf(TaskFailedError);
    expect(failure).not.toHaveProperty("task");
    emulator.providers.provider_a.next({ outcome: "hang" });
    await submit(client, journal, "hung");
    expect((await next()).error).toBeInstanceOf(TaskTimedOutError);
    await submit(client, journal, "third");
    await next();
    expect(await journal.get("refused")).toMatchObject({ status: "failure", acknowledged: true });
    expect(await journal.get("hung")).toMatchObject({ status: "timeout", acknowledged: true });
  });

  test("an order whose task does not exist once; its key stays open", async ({ client }) => {
    const journal = await journalWith(client, "a");
    await change(journal, "a", { task_id: UNKNOWN_ID, submission: null, settled: true });
    const { next } = start(client, journal);
    expect((await next()).error).toBeInstanceOf(TaskNotFoundError);
    await submit(client, journal, "b");
    expect(await next()).toMatchObject({ key: "b" });
    expect((await journal.open()).map(({ key }) => key)).toEqual(["a", "b"]);
    expect((await journal.unacknowledged()).map(({ key }) => key)).toEqual(["b"]);
  });

  test("no order with the key of another account, which is logged once; the right key has them all", async ({
    client,
    emulator,
  }) => {
    const journal = await journalWith(client, "a", "b", "c");
    const { api_key: apiKey } = emulator.accounts.create();
    const logger = createLog();
    const wrong = new AsyncMusic({ ...emulator.connection({ apiKey }), logger });
    const mistaken = start(wrong, journal, { leaseMs: 1000 });
    const delivered = mistaken.next().catch(() => "left");
    await emulator.clock.advance(20_000);
    mistaken.stop.abort();
    expect(await delivered).toBe("left");
    expect(logger.at("warn")).toEqual([
      expect.stringMatching(
        /^Order "[abc]", and each like it, is not delivered until the API key can read its task\. /,
      ),
    ]);

    const { next } = start(client, journal);
    const keys = [await next(), await next(), await next()].map(({ key, task }) => [key, task?.status]);
    expect(keys.sort()).toEqual(["a", "b", "c"].map((key) => [key, "success"]));
  });

  test("no order whose task is not found, which is read ever less often", async ({ client, emulator }) => {
    const journal = memoryJournal();
    const submission = await submit(client, journal, "a");
    await change(journal, "a", { task_id: UNKNOWN_ID, submission: { ...submission, task_id: UNKNOWN_ID } });
    const { next, stop } = start(client, journal);
    const delivered = next().catch(() => "none");
    await emulator.clock.advance(3_600_000);
    stop.abort();
    expect(await delivered).toBe("none");
    const reads = emulator.requests.filter(({ path }) => path.endsWith(UNKNOWN_ID));
    const times = reads.map(({ at }) => Date.parse(at));
    expect(gaps(times).map((gap) => Math.round(gap / 60_000))).toEqual([1, 2, 4, 8, 10, 10, 10, 10]);
  });

  test("no order of another account, also if the key has read the ends of its own orders", async ({
    client,
    emulator,
  }) => {
    const journal = memoryJournal();
    const { api_key: apiKey } = emulator.accounts.create({ credits: 100 });
    const wrong = new AsyncMusic({ ...emulator.connection({ apiKey }), logger: createLog() });
    await submit(wrong, journal, "theirs/1");
    const { next, stop } = start(wrong, journal, { leaseMs: 1000 });
    expect((await next()).key).toBe("theirs/1");
    for (const key of ["ours/1", "ours/2"]) await submit(client, journal, key);
    await submit(wrong, journal, "theirs/2");
    expect((await next()).key).toBe("theirs/2");
    const more = next().then(
      ({ key }) => key,
      () => "none",
    );
    await emulator.clock.advance(1_800_000);
    stop.abort();
    expect(await more).toBe("none");
    const ours = start(client, journal);
    expect([await ours.next(), await ours.next()].map(({ key }) => key).sort()).toEqual(["ours/1", "ours/2"]);
  });

  test("no order of another account of which the service returned only the task ID", async ({
    client,
    emulator,
  }) => {
    const journal = memoryJournal();
    const fetch: Fetch = async (...request) => {
      const response = await emulator.fetch(...request);
      return new Response((await response.text()).replace('"credits_charged"', '"credits"'), response);
    };
    const incomplete = new AsyncMusic({ ...emulator.connection(), fetch });
    await expect(submit(incomplete, journal, "a")).rejects.toThrow(InvalidResponseError);
    expect(await journal.get("a")).toMatchObject({ state: "submitted", submission: null });
    const { api_key: apiKey } = emulator.accounts.create();
    const wrong = start(new AsyncMusic({ ...emulator.connection({ apiKey }), logger: createLog() }), journal);
    const delivered = wrong.next().then(
      ({ key }) => key,
      () => "none",
    );
    await emulator.clock.advance(120_000);
    wrong.stop.abort();
    expect(await delivered).toBe("none");
    expect(await start(client, journal).next()).toMatchObject({ key: "a", task: { status: "success" } });
  });

  test("all orders within an hour, also if each follower runs for seconds, and many tasks never end", async ({
    client,
    emulator,
  }) => {
    const journal = memoryJournal();
    emulator.providers.provider_a.always({ outcome: "hang" });
    for (let index = 0; index < 150; index++) await submit(client, journal, `hung/${index}`);
    emulator.providers.provider_a.always({ outcome: "success" });
    for (let index = 0; index < 40; index++) await submit(client, journal, `order/${index}`);
    const keys = new Set<string>();
    for (let run = 0; run < 50 && keys.size < 40; run++) {
      const stop = new AbortController();
      const { clock } = emulator;
      const ending = clock.sleep(10_000).then(() => stop.abort());
      const orders = anotherClient(emulator).tasks.follow(journal, { signal: stop.signal });
      await (async () => {
        for await (const { key } of orders) keys.add(key);
      })().catch(() => {});
      await ending;
      await clock.advance(50_000);
    }
    expect([...keys].filter((key) => key.startsWith("order/"))).toHaveLength(40);
  });

  test("an order that a run has closed", async ({ client }) => {
    const journal = memoryJournal();
    const song = await client.tasks.run(REQUEST, { journal, journalKey: "a" });
    expect(await journal.open()).toEqual([]);
    const { next } = start(client, journal);
    expect(await next()).toMatchObject({ key: "a", task: song });
  });

  test("an order that was settled, and leaves its intent alone before", async ({
    client,
    emulator,
    breaks,
  }) => {
    breaks("resubmitted_after_unknown_outcome");
    const journal = memoryJournal();
    emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
    await submit(client, journal, "lost").catch(() => {});
    const { next } = start(client, journal);
    await submit(client, journal, "a");
    expect(await next()).toMatchObject({ key: "a" });
    expect(await journal.get("lost")).toMatchObject({ state: "intent" });
    const { task_id = "" } = emulator.state().tasks[0] ?? {};
    const begunAt = emulator.clock.now();
    await settleOutcome(journal, "lost", task_id);
    // Also the first settlement of a process: the virtual clock runs while code is loaded.
    expect(emulator.clock.now()).toBe(begunAt);
    expect(await next()).toMatchObject({ key: "lost", task: { task_id } });
  });

  test("nothing of orders that are older than seven days, or than `maxAgeMs`", async ({
    client,
    emulator,
  }) => {
    const journal = await journalWith(client, "old");
    await emulator.clock.advance(7 * DAY_MS + 1);
    await submit(client, journal, "hours");
    await emulator.clock.advance(2 * 3_600_000);
    await submit(client, journal, "new");
    const hasty = start(client, other(journal), { maxAgeMs: 3_600_000 });
    expect(await hasty.next()).toMatchObject({ key: "new" });
    await hasty.leave();
    const { next } = start(client, journal);
    expect([(await next()).key, (await next()).key].sort()).toEqual(["hours", "new"]);
    expect((await journal.unacknowledged()).map(({ key }) => key)).toContain("old");
  });

  test("nothing of orders that an older version has closed", async ({ client }) => {
    const journal = memoryJournal();
    await client.tasks.run(REQUEST, { journal, journalKey: "old" });
    const { acknowledged, ...closed } = (await journal.get("old")) as JournalRecord;
    await journal.put("old", { ...closed, revision: "older" }, closed.revision);
    await submit(client, journal, "new");
    const { next } = start(client, journal);
    expect(await next()).toMatchObject({ key: "new" });
    expect(acknowledged).toBe(false);
  });
});

describe("an end that was not acknowledged", () => {
  test("is delivered again after the loop was left, at once and with the same ID", async ({
    client,
    emulator,
  }) => {
    const journal = await journalWith(client, "a");
    const first = start(client, journal);
    const delivered = await first.next();
    await first.leave();
    expect(await journal.get("a")).not.toHaveProperty("follower");
    const at = emulator.clock.now();
    const second = start(anotherClient(emulator), other(journal));
    expect(await second.next()).toEqual(delivered);
    expect(emulator.clock.now() - at).toBeLessThan(10_000);
  });

  test("is delivered by another follower once the lease of a killed one has run out", async ({
    client,
    emulator,
  }) => {
    const journal = await journalWith(client, "a");
    const until = new Date(emulator.clock.now() + 300_000).toISOString();
    await change(journal, "a", { follower: { id: "killed", until } });
    const { next } = start(client, journal);
    expect(await next()).toMatchObject({ key: "a" });
    const late = emulator.clock.now() - Date.parse(until);
    expect([late >= 0, late < 15_000]).toEqual([true, true]);
  });

  test("an abort throws its reason, and the end that was handled before counts", async ({ client }) => {
    const journal = await journalWith(client, "a");
    const { next, stop } = start(client, journal);
    await next();
    const reason = new Error("stopped");
    stop.abort(reason);
    await expect(next()).rejects.toBe(reason);
    expect(await journal.get("a")).toMatchObject({ acknowledged: true, status: "success" });
  });

  test("an abort during the wait for the next order throws its reason, and releases the leases", async ({
    client,
    emulator,
  }) => {
    emulator.providers.provider_a.always({ outcome: "hang" });
    const journal = await journalWith(client, "a");
    const { next, stop } = start(client, journal);
    const nothing = next();
    nothing.catch(() => {});
    await emulator.clock.advance(30_000);
    expect(await journal.get("a")).toHaveProperty("follower");
    const reason = new Error("stopped");
    stop.abort(reason);
    await expect(nothing).rejects.toBe(reason);
    expect(await journal.get("a")).not.toHaveProperty("follower");
  });

  test("keeps its lease while it is handled, however long that takes", async ({ client, emulator }) => {
    const journal = await journalWith(client, "slow");
    const slow = start(client, journal);
    expect(await slow.next()).toMatchObject({ key: "slow" });
    const second = start(anotherClient(emulator), other(journal));
    await emulator.clock.advance(3_600_000);
    await submit(client, journal, "b");
    const b = await Promise.race([second.next(), slow.next()]);
    expect(b).toMatchObject({ key: "b" });
    expect(await journal.get("slow")).toMatchObject({
      acknowledged: b.key === "b" ? expect.anything() : true,
    });
  });
});

test("a virtual clock stands still while a journal uses the disk, beside a follower that sleeps", async ({
  client,
  emulator,
}) => {
  const journal = fileJournal(await createFolder());
  const { next } = start(client, journal);
  const delivered = next();
  const began = emulator.clock.now();
  await client.tasks.create(REQUEST, { journal, journalKey: "rain" });
  expect(emulator.clock.now()).toBe(began);
  expect((await delivered).task?.status).toBe("success");
});

test("a run that ends while a follower has the order closes its key all the same", async ({ client }) => {
  const journal = await journalWith(client, "a");
  const { next } = start(client, other(journal));
  const delivered = next();
  await client.tasks.run(REQUEST, { journal, journalKey: "a" });
  await delivered;
  expect(await journal.get("a")).toMatchObject({ status: "success", acknowledged: false });
  await submit(client, journal, "b");
  await next();
  expect(await journal.get("a")).toMatchObject({ status: "success", acknowledged: true });
});

test("two followers share the orders: each is delivered once", async ({ client, emulator }) => {
  const journal = memoryJournal();
  const keys = Array.from({ length: 12 }, (_, index) => `order-${index}`);
  const stop = new AbortController();
  const delivered: string[][] = [[], []];
  const follow = async (index: number) => {
    const orders = anotherClient(emulator).tasks.follow(other(journal), {
      signal: stop.signal,
      concurrency: 3,
    });
    for await (const { key } of orders) {
      delivered[index]?.push(key);
      if (delivered.flat().length === keys.length) stop.abort();
    }
  };
  for (const key of keys) await submit(client, journal, key);
  await Promise.allSettled([follow(0), follow(1)]);
  expect(delivered.flat().sort()).toEqual([...keys].sort());
  expect(delivered.map(({ length }) => length > 0)).toEqual([true, true]);
});

test("holds at most `concurrency` orders, unread ends among them", async ({ client, emulator }) => {
  const journal = memoryJournal();
  for (let index = 0; index < 7; index++) await submit(client, journal, `order-${index}`);
  const { next } = start(client, journal, { concurrency: 2 });
  const held = async () =>
    (await journal.unacknowledged()).filter(({ follower }) => follower !== null).length;
  for (let index = 0; index < 7; index++) {
    await next();
    expect(await held()).toBeLessThanOrEqual(2);
  }
  await emulator.clock.advance(60_000);
  expect(await held()).toBe(1);
});

describe("tenants", () => {
  const submitFor = (client: AsyncMusic, journal: Journal, tenant: string, journalKey: string) =>
    client.tasks.create(REQUEST, { journal, journalKey, tenant });
  /** The first letters of the orders that a follower has. */
  const heldTenants = async (journal: Required<Journal>) => {
    const listed = await journal.unacknowledged();
    return listed.map(({ key, follower }) => (follower === null ? "" : key.charAt(0))).join("");
  };

  test("stand in the journal, also without a budget", async ({ client }) => {
    const journal = memoryJournal();
    await submitFor(client, journal, "acme", "a");
    await submit(client, journal, "b");
    expect(await journal.get("a")).toMatchObject({ tenant: "acme" });
    expect(await journal.get("b")).not.toHaveProperty("tenant");
    expect((await journal.unacknowledged()).map(({ tenant }) => tenant)).toEqual(["acme", null]);
  });

  test("take turns with their ends", async ({ client, emulator }) => {
    const journal = memoryJournal();
    for (const key of ["a1", "a2", "a3"]) await submitFor(client, journal, "acme", key);
    for (const key of ["b1", "b2"]) await submitFor(client, journal, "bell", key);
    for (const key of ["c1", "c2"]) await submit(client, journal, key);
    const { next } = start(client, journal);
    const keys = [(await next()).key];
    // All others end before the next one is requested.
    await emulator.clock.advance(600_000);
    await emulator.clock.sleep(120_000);
    for (let index = 1; index < 7; index++) keys.push((await next()).key);
    expect(keys.toSorted()).toEqual(["a1", "a2", "a3", "b1", "b2", "c1", "c2"]);
    const turns = keys.slice(1, 4).map((key) => key.charAt(0));
    expect(turns.toSorted()).toEqual(["a", "b", "c"]);
  });

  test("share `concurrency`: an order gives its place to a tenant that has fewer", async ({
    client,
    emulator,
  }) => {
    const journal = memoryJournal();
    emulator.providers.provider_a.always({ outcome: "success", process_seconds: 300 });
    for (let index = 0; index < 6; index++) await submitFor(client, journal, "acme", `a${index}`);
    const { next } = start(client, journal, { concurrency: 4 });
    const first = next();
    await emulator.clock.sleep(20_000);
    expect(await heldTenants(journal)).toBe("aaaa");
    for (const key of ["b0", "b1", "b2"]) await submitFor(client, journal, "bell", key);
    await emulator.clock.sleep(20_000);
    expect(await heldTenants(journal)).toBe("aabb");
    await submit(client, journal, "c0");
    await emulator.clock.sleep(20_000);
    expect(await heldTenants(journal)).toMatch(/^[ab]{3}c$/);
    const keys = [(await first).key];
    for (let index = 1; index < 10; index++) keys.push((await next()).key);
    expect(new Set(keys).size).toBe(10);
  });
});

test("a follower that has as many orders as it may lists the journal as often as before", async ({
  client,
  emulator,
}) => {
  const journal = memoryJournal();
  const lists: number[] = [];
  const counted = {
    ...journal,
    unacknowledged(since?: Date) {
      lists.push(emulator.clock.now());
      return journal.unacknowledged(since);
    },
  };
  emulator.providers.provider_a.always({ outcome: "success", process_seconds: 300 });
  for (let index = 0; index < 3; index++) await submit(client, journal, `order-${index}`);
  const { next } = start(client, counted, { concurrency: 1 });
  await next();
  await next();
  expect(lists.length).toBeGreaterThan(51);
  expect(Math.max(...gaps(lists))).toBe(5000);
});

test("a 404 of a gateway is no end of an order, and is not acknowledged", async ({ emulator }) => {
  const journal = memoryJournal();
  let isDown = true;
  const fetch: typeof globalThis.fetch = async (...request) => {
    const response = await emulator.fetch(...request);
    return isDown && response.status === 200
      ? new Response("<html>Not Found</html>", { status: 404, headers: { "content-type": "text/html" } })
      : response;
  };
  const client = new AsyncMusic({ ...emulator.connection(), fetch });
  await submit(client, journal, "a");
  const { next } = start(client, journal);
  const first = next();
  await emulator.clock.advance(60_000);
  expect(await journal.unacknowledged()).toMatchObject([{ key: "a", status: null }]);
  isDown = false;
  expect(await first).toMatchObject({ key: "a", task: { status: "success" } });
});

test("a malformed key ends the iteration, and acknowledges nothing", async ({ client, emulator }) => {
  const journal = await journalWith(client, "a");
  const broken = new AsyncMusic({ ...emulator.connection(), apiKey: () => "key with spaces" });
  await rejection(start(broken, journal).next(), InvalidOptionError);
  expect(await journal.unacknowledged()).toHaveLength(1);
});

test("a lease by a clock that is a month ahead does not hold an order", async ({ client, emulator }) => {
  const journal = await journalWith(client, "a");
  const until = new Date(emulator.clock.now() + 30 * DAY_MS).toISOString();
  await change(journal, "a", { follower: { id: "crashed", until } });
  expect(await start(client, journal).next()).toMatchObject({ key: "a" });
});

test("leaving the loop ends while the reservation of another order is settled", async ({ client }) => {
  const journal = memoryJournal();
  const budget = memoryBudget({ maxCredits: 100, per: "total", journal });
  for (const journalKey of ["a", "b"])
    await client.tasks.create(REQUEST, { tenant: "acme", budget, journal, journalKey });
  const settled = held();
  let ends = 0;
  const slow = Object.assign(Object.create(budget), budget, {
    ended: async (...end: unknown[]) => {
      if (++ends > 1) await settled.given;
      return Reflect.get(budget, "ended")(...end);
    },
  });
  const { next, leave } = start(client, journal, { budget: slow });
  await next();
  const left = leave();
  settled.give();
  await left;
  expect(await journal.unacknowledged()).toHaveLength(2);
});

test("an order that another follower has taken over is left to it, and counts as delivered once it was handled", async ({
  client,
  emulator,
}) => {
  emulator.providers.provider_a.next({ outcome: "success", process_seconds: 600 });
  const journal = await journalWith(client, "stolen", "handled");
  const { next } = start(client, journal);
  expect(await next()).toMatchObject({ key: "handled" });
  const until = new Date(emulator.clock.now() + 600_000).toISOString();
  const thief = { id: "another", until };
  await change(journal, "stolen", { follower: thief });
  await change(journal, "handled", { follower: thief });
  await emulator.clock.advance(60_000);
  const reads = emulator.requests.filter(({ method }) => method === "GET").length;
  await emulator.clock.advance(480_000);
  expect(emulator.requests.filter(({ method }) => method === "GET")).toHaveLength(reads);
  expect(await journal.get("stolen")).toMatchObject({ follower: thief });
  await submit(client, journal, "last");
  expect(await next()).toMatchObject({ key: "last" });
  expect(await journal.get("handled")).toMatchObject({ acknowledged: true, status: "success" });
});

test("an order whose task cannot be read for longer than `maxWaitMs` is waited for again", async ({
  client,
  emulator,
}) => {
  const journal = await journalWith(client, "a");
  const until = emulator.clock.now() + 90 * 60_000;
  const fetch: typeof globalThis.fetch = (...request) =>
    emulator.clock.now() < until ? Promise.reject(new TypeError("unreachable")) : emulator.fetch(...request);
  const unlucky = new AsyncMusic({ ...emulator.connection(), fetch });
  expect(await start(unlucky, other(journal)).next()).toMatchObject({ key: "a" });
  expect(emulator.clock.now()).toBeGreaterThanOrEqual(until);
});

test.each([
  ["takes long is listed less often", 3000, 33_000],
  ["takes as long as it may is listed again after five minutes", 30_000, 330_000],
  ["spans a suspension of two hours is listed again soon", 7_200_000, 7_205_000],
])("a journal whose list %s", async (_, listMs, gapMs) => {
  const { client, clock } = createWorld(() => ok(succeeded()));
  const listed: number[] = [];
  const enough = new AbortController();
  const slow: Required<Journal> = {
    ...memoryJournal(),
    async unacknowledged() {
      listed.push(clock.now());
      if (listed.length === 4) enough.abort();
      await clock.sleep(listed.length === 1 ? 0 : listMs);
      return [];
    },
  };
  await start(client, slow, { signal: enough.signal })
    .next()
    .catch(() => {});
  expect(gaps(listed)).toEqual([5000, gapMs, gapMs]);
});

describe("a journal that fails", () => {
  test("is tried again with growing pauses, and then its error is thrown", async ({ client, emulator }) => {
    const journal = memoryJournal();
    const tries: number[] = [];
    const broken: Required<Journal> = {
      ...journal,
      unacknowledged() {
        tries.push(emulator.clock.now());
        return Promise.reject(away);
      },
    };
    const error = await rejection(start(client, broken).next(), JournalError);
    expect(error.cause).toBe(away);
    expect(error.message).toContain(away.message);
    expect(gaps(tries).map((gap) => gap / 1000)).toEqual([1, 2, 4, 8, 16, ...Array(9).fill(30)]);
  });

  test("at once with `maxFailureMs: 0`", async ({ client }) => {
    const broken: Required<Journal> = { ...memoryJournal(), unacknowledged: () => Promise.reject(away) };
    await rejection(start(client, broken, { maxFailureMs: 0 }).next(), JournalError);
  });

  test("loses nothing by an outage that is shorter", async ({ client, emulator }) => {
    const journal = memoryJournal();
    const until = emulator.clock.now() + 120_000;
    const guard = <Result>(work: () => Promise<Result>) =>
      emulator.clock.now() < until ? Promise.reject<Result>(away) : work();
    await submit(client, journal, "a");
    const flaky: Required<Journal> = {
      ...journal,
      get: (key) => guard(() => journal.get(key)),
      put: (...entry) => guard(() => journal.put(...entry)),
      unacknowledged: (since) => guard(() => journal.unacknowledged(since)),
    };
    expect(await start(client, flaky).next()).toMatchObject({ key: "a" });
    expect(emulator.clock.now()).toBeGreaterThanOrEqual(until);
  });

  test("during an acknowledgement: the next order comes after it, or the error", async ({
    client,
    emulator,
  }) => {
    const journal = await journalWith(client, "a", "b");
    let isAway = false;
    const flaky = failing(journal, () => isAway);
    const { next } = start(client, flaky);
    const { key } = await next();
    isAway = true;
    const second = next();
    await emulator.clock.advance(50_000);
    isAway = false;
    expect((await second).key).not.toBe(key);
    expect(await journal.get(key)).toMatchObject({ acknowledged: true });
    isAway = true;
    await rejection(next(), JournalError);
  });

  test("states whether the end was delivered, and that it is delivered again", async ({ emulator }) => {
    const journal = memoryJournal();
    const logger = createLog();
    const client = new AsyncMusic({ ...emulator.connection(), logger });
    await submit(client, journal, "a");
    let isAway = true;
    const flaky = failing(journal, () => isAway);
    const { next } = start(client, flaky);
    const first = next();
    await emulator.clock.advance(10_000);
    isAway = false;
    await first;
    const untaken = logger.at("error");
    isAway = true;
    const { message } = await rejection(next(), JournalError);
    const logged = logger.at("error").slice(untaken.length);
    for (const text of untaken) expect(text).toContain("An end that is not acknowledged is delivered later.");
    expect([untaken.length > 0, logged.length > 0]).toEqual([true, true]);
    for (const text of [message, ...logged]) {
      expect(text).toContain(
        "The end of the order was delivered. It is delivered again, with the same delivery ID",
      );
      expect(text).toContain(away.message);
    }
    expect([message, ...untaken, ...logged].join()).not.toMatch(/Nothing was sent|journal key\./);
  });

  test("for one key only: the others are delivered, and the error names the key", async ({ client }) => {
    const journal = await journalWith(client, "bad", "good");
    const partly: Required<Journal> = {
      ...journal,
      get: (key) => (key === "bad" ? Promise.reject(away) : journal.get(key)),
    };
    const { next } = start(client, partly);
    expect(await next()).toMatchObject({ key: "good" });
    expect(await rejection(next(), JournalError)).toMatchObject({ journalKey: "bad" });
  });
});

test("a refused API key ends the loop, and acknowledges nothing", async ({ client, emulator }) => {
  const journal = await journalWith(client, "a");
  const wrong = new AsyncMusic({ ...emulator.connection(), apiKey: "emu_wrong" });
  await rejection(start(wrong, other(journal)).next(), AuthenticationError);
  expect(await start(client, journal).next()).toMatchObject({ key: "a" });
});

test.for([
  [{ intervalMs: 0 }, "intervalMs"],
  [{ leaseMs: 10 }, "leaseMs"],
  [{ concurrency: 0.5 }, "concurrency"],
  [{ requestId: "mine" }, "requestId"],
  [{ interval: 5 }, "interval"],
] as const)("refuses %j", async ([options, option], { client }) => {
  const { next } = start(client, memoryJournal(), options as FollowOptions);
  expect(await rejection(next(), InvalidOptionError)).toMatchObject({
    option: expect.stringContaining(option),
  });
});

test("refuses a journal that cannot list its orders", async ({ client }) => {
  const { get, put, delete: free } = memoryJournal();
  const error = await rejection(start(client, { get, put, delete: free }).next(), InvalidOptionError);
  expect(error).toMatchObject({ option: "journal", message: expect.stringContaining("unacknowledged") });
});

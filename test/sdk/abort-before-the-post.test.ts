import {
  type Journal,
  JournalError,
  memoryJournal,
  type RunOptions,
  SubmissionOutcomeUnknownError,
} from "async-music";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryStore } from "../../src/budget/memory-store.js";
import type { BudgetStore } from "../../src/budget/store.js";
import { budgetOf } from "../../src/budget/tenant-budget.js";
import { held } from "../support/collect.js";
import { KEY } from "../support/journaled.js";
import { createLog } from "../support/log.js";
import { rejection } from "../support/rejection.js";
import { refusal, SONG_REQUEST, serveAnew, usage } from "../support/responses.js";
import { type Answerer, createWorld } from "../support/world.js";

// A call that is aborted while a database does not respond, before its POST and after it. Databases have real time limits.

const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

type Call = "create" | "run";
type Method = keyof BudgetStore | keyof Journal;

/** A budget and a journal on a database that does not respond to one of their methods, until `respond` is called. */
function createCase(hanging: Method | null, skipped = 0, post: Answerer = serveAnew) {
  const { given: responds, give: respond } = held();
  const { given: reached, give: reach } = held();
  let left = skipped;
  const onDatabase = <Methods extends object>(methods: Methods): Methods =>
    new Proxy(methods, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (name !== hanging || typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          if (left-- > 0) return method.apply(target, given);
          reach();
          await responds;
          return method.apply(target, given);
        };
      },
    });
  const journal = onDatabase(memoryJournal());
  const budget = budgetOf(onDatabase(memoryStore()), { maxCredits: 20, per: "total", journal });
  const logger = createLog();
  const answer: Answerer = (request, index) =>
    request.path.endsWith("/usage") ? usage() : post(request, index);
  const world = createWorld(answer, { logger });
  const call = (name: Call, options: RunOptions) =>
    world.client.tasks[name](SONG_REQUEST, { tenant: "acme", budget, ...options });
  return { ...world, logger, journal, budget, call, reached, respond };
}

const bare = () => ({});
const ordered = (journal: Journal) => ({ journal, journalKey: KEY });
const probing = (journal: Journal) => ({ journal, journalKey: KEY, probe: true });

test.each<[call: Call, what: string, method: Method, options: (journal: Journal) => RunOptions]>([
  ["create", "the budget, without a journal", "reserve", bare],
  ["run", "the budget, without a journal", "reserve", bare],
  ["create", "the budget", "reserve", ordered],
  ["run", "the budget", "reserve", ordered],
  ["create", "the budget, before the usage is read", "read", probing],
  ["create", "the journal, when it is read", "get", ordered],
  ["run", "the journal, when it is read", "get", ordered],
  ["create", "the journal, when the intent is written", "put", ordered],
  ["run", "the journal, when the intent is written", "put", ordered],
])("an aborted `%s` does not wait for %s", async (name, _, method, options) => {
  const { client, call, journal, budget, requests, reached, respond } = createCase(method);
  const leaving = new AbortController();
  const given = { ...options(journal), signal: leaving.signal };
  const left: unknown[] = [];
  const ended = call(name, given).catch((reason: unknown) => void left.push(reason));
  await reached;
  const flushed = client.tasks.flush().then(() => left.push("flushed"));
  leaving.abort("the page was closed");
  await wait(1000);
  expect(left).toEqual(["the page was closed"]);

  // The write that was given up takes effect, and is undone. A process that ends after `flush` leaves no reservation.
  respond();
  await ended;
  await flushed;
  expect(await budget.usage("acme")).toMatchObject({ spent: 0, reserved: 0 });
  expect([await journal.get(KEY), requests]).toEqual([null, []]);
  expect(vi.getTimerCount()).toBe(0);
  await call(name, options(journal));
  expect(requests.filter((request) => request.method === "POST")).toHaveLength(1);
});

test.each<Call>(["create", "run"])(
  "an aborted `%s` whose database responds has freed all when it rejects",
  async (name) => {
    const { call, journal, budget, requests, reached, respond } = createCase("reserve");
    const leaving = new AbortController();
    const ended = call(name, { ...ordered(journal), signal: leaving.signal }).catch(
      (reason: unknown) => reason,
    );
    await reached;
    leaving.abort("left");
    await wait(500);
    respond();
    expect(await ended).toBe("left");
    expect([await journal.get(KEY), requests]).toEqual([null, []]);
    expect((await budget.usage("acme")).reserved).toBe(0);
  },
);

test.each<Call>(["create", "run"])(
  "an aborted `%s` does not wait until a slow budget has freed its price",
  async (name) => {
    const store = memoryStore();
    const leaving = new AbortController();
    const aborted = new Promise<unknown>((resolve) => leaving.signal.addEventListener("abort", resolve));
    const reserve: BudgetStore["reserve"] = async (given) => {
      await null;
      leaving.abort("left");
      return store.reserve(given);
    };
    const hanging = { ...store, reserve, free: () => new Promise<never>(() => {}) };
    const budget = budgetOf(hanging, { maxCredits: 20, per: "total" });
    const { client, requests } = createWorld(serveAnew);
    const options = { tenant: "acme", budget, signal: leaving.signal };
    const left: unknown[] = [];
    void client.tasks[name](SONG_REQUEST, options).catch((reason: unknown) => left.push(reason));
    await aborted;
    await wait(1000);
    expect([left, requests]).toEqual([["left"], []]);
  },
);

test("a later call with the key of a call that was left sends its request after that one has ended", async () => {
  const { call, journal, requests, reached, respond } = createCase("put");
  const leaving = new AbortController();
  const ended = call("create", { ...ordered(journal), signal: leaving.signal }).catch(
    (reason: unknown) => reason,
  );
  await reached;
  leaving.abort("left");
  await wait(1000);
  expect(await ended).toBe("left");
  const later = call("create", ordered(journal));
  await wait(1000);
  expect(requests).toEqual([]);
  respond();
  const { task_id } = await later;
  expect(requests.map(({ method }) => method)).toEqual(["POST"]);
  expect(await journal.get(KEY)).toMatchObject({ state: "submitted", task_id });
});

test.each<Call>(["create", "run"])(
  "an aborted `%s` whose journal does not record the task soon rejects with its ID, and logs it",
  async (name) => {
    const { client, call, journal, logger, requests, reached, respond } = createCase("put", 1);
    const leaving = new AbortController();
    const onSubmitted = vi.fn();
    const given = { ...ordered(journal), signal: leaving.signal, onSubmitted };
    const ended = rejection(call(name, given), JournalError);
    await reached;
    await wait(5000);
    leaving.abort("the function ends");
    await wait(1000);
    const { taskId, sent, message, cause } = await ended;
    expect({ sent, cause }).toMatchObject({ sent: true, cause: "the function ends" });
    expect(message).toContain(`task ${taskId} was created, but could not be recorded before the abort`);
    expect(logger.lines).toEqual([{ level: "error", message, fields: undefined }]);

    // The task is recorded in the background.
    const flushed = client.tasks.flush();
    respond();
    await flushed;
    expect(await journal.get(KEY)).toMatchObject({ state: "submitted", task_id: taskId });
    expect(onSubmitted).toHaveBeenCalledOnce();
    expect(await client.tasks.create(SONG_REQUEST, ordered(journal))).toMatchObject({ task_id: taskId });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect([logger.lines.length, vi.getTimerCount()]).toEqual([1, 0]);
  },
);

test("a call that is aborted during its POST logs its task if the journal does not record it soon", async () => {
  const leaving = new AbortController();
  const { call, journal, logger, reached } = createCase("put", 1, (request) => {
    leaving.abort("left");
    return serveAnew(request);
  });
  const ended = rejection(
    call("create", { ...ordered(journal), signal: leaving.signal }),
    SubmissionOutcomeUnknownError,
  );
  await reached;
  await wait(1000);
  await ended;
  expect(logger.lines).toMatchObject([{ message: expect.stringMatching(/task \S+ was created, but/) }]);
});

test("a run that is aborted while it waits rejects soon if its journal still does not record the task", async () => {
  const { call, journal, reached } = createCase("put", 1);
  const leaving = new AbortController();
  const ended = rejection(call("run", { ...ordered(journal), signal: leaving.signal }), JournalError);
  await reached;
  await wait(45_000);
  leaving.abort("left");
  await wait(1000);
  expect((await ended).taskId).toEqual(expect.any(String));
});

test("an aborted `create` that was refused does not wait until the journal has removed its intent", async () => {
  const { call, client, journal, reached, respond } = createCase("delete", 0, () =>
    refusal(402, "insufficient_credits"),
  );
  const leaving = new AbortController();
  const left: unknown[] = [];
  const given = { ...ordered(journal), signal: leaving.signal };
  void call("create", given).catch((error: unknown) => left.push(error));
  await reached;
  leaving.abort("left");
  await wait(1000);
  expect(left).toEqual(["left"]);
  respond();
  await client.tasks.flush();
  expect(await journal.get(KEY)).toBeNull();
});

test("an intent that an aborted call leaves, since its journal fails, is logged", async () => {
  const kept = memoryJournal();
  const { given: responds, give: respond } = held();
  const leaving = new AbortController();
  const put: Journal["put"] = async (...given) => {
    leaving.abort("left");
    await responds;
    return kept.put(...given);
  };
  const journal = { ...kept, put, delete: () => Promise.reject(new Error("down")) };
  const logger = createLog();
  const { client, requests } = createWorld(serveAnew, { logger });
  const left: unknown[] = [];
  const options = { ...ordered(journal), signal: leaving.signal };
  void client.tasks.create(SONG_REQUEST, options).catch((reason: unknown) => left.push(reason));
  await new Promise((resolve) => leaving.signal.addEventListener("abort", resolve));
  await wait(1000);
  expect(left).toEqual(["left"]);
  respond();
  await client.tasks.flush();
  expect(requests).toEqual([]);
  expect(logger.lines).toMatchObject([{ level: "error", message: expect.stringContaining("settleOutcome") }]);
});

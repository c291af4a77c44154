import {
  ApiError,
  type AsyncMusic,
  AsyncMusicError,
  type Journal,
  memoryJournal,
  type RunOptions,
  ServerError,
  SubmissionOutcomeUnknownError,
} from "async-music";
import { describe, expect, test } from "vitest";
import { abortedAfter } from "../support/abort.js";
import { KEY, OTHER_REQUEST } from "../support/journaled.js";
import { journalEntry, posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import {
  acceptedAnew,
  limited,
  OTHER_TASK_ID,
  ok,
  refusal,
  SONG_REQUEST,
  succeeded,
  taskIdIn,
  usage,
} from "../support/responses.js";
import { createWorld, type SeenRequest } from "../support/world.js";

/** The unknown outcome of a run that compares the number of created tasks. */
const probe = (client: AsyncMusic, journal: Journal, options: RunOptions = {}) =>
  rejection(
    client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY, probe: true, ...options }),
    SubmissionOutcomeUnknownError,
  );

/** A service that counts the tasks that it creates, and loses the response to every request for rain. */
function countingService({ isCreated = true, others = 0, before = 7 } = {}) {
  let created = before;
  const answer = ({ method, path, body }: SeenRequest) => {
    if (path.endsWith("/usage")) return usage({ tasks_created: created });
    if (method !== "POST") return ok(succeeded({ task_id: taskIdIn({ path }) }));
    const isLost = body.includes("rain");
    if (!isLost || isCreated) created++;
    if (!isLost) return acceptedAnew();
    created += others;
    return Promise.reject(new TypeError("fetch failed"));
  };
  const world = createWorld(answer);
  const journal = memoryJournal();
  const run = (options: RunOptions = {}) => probe(world.client, journal, options);
  return { ...world, journal, run, answer };
}

test.each([
  ["created", { isCreated: true }, "was probably created"],
  ["not_created", { isCreated: false }, "was probably not created"],
  ["unclear", { isCreated: true, others: 1 }, "does not show whether"],
  ["unclear", { isCreated: false, others: 2 }, "does not show whether"],
] as const)("the evidence is %s", async (evidence, service, words) => {
  const { run, journal } = countingService(service);
  const error = await run();
  expect(error.evidence).toBe(evidence);
  expect(error.message).toContain(words);
  expect(JSON.parse(JSON.stringify(error)).evidence).toBe(evidence);
  expect(await journal.get(KEY)).toMatchObject({ state: "intent", tasks_created: 7 });
});

/** A journal that does this work just before an intent is written. */
const afterWork = (journal: Journal, work: () => Promise<unknown>): Journal => ({
  ...journal,
  async put(...entry) {
    await work();
    return journal.put(...entry);
  },
});

describe.each([
  ["a task", true, "created"],
  ["no task", false, "not_created"],
])("if the lost POST created %s", (_, isCreated, expected) => {
  test("a second run finds the same evidence", async () => {
    const { run, client, journal } = countingService({ isCreated });
    expect((await run()).evidence).toBe(expected);
    expect((await run()).evidence).toBe(expected);
    await client.tasks.create(OTHER_REQUEST);
    await client.tasks.run(OTHER_REQUEST, { journal, journalKey: "order-2", probe: true });
    expect((await run()).evidence).toBe(expected);
  });

  test("a restart compares with the count in the intent", async () => {
    const { run, journal, answer } = countingService({ isCreated });
    await run();
    const restarted = createWorld(answer);
    expect((await probe(restarted.client, journal)).evidence).toBe(expected);
    expect(posts(restarted)).toEqual([]);
  });

  test("other creates of the same client are excluded", async () => {
    const { client, journal } = countingService({ isCreated });
    const createTwo = async () => {
      await client.tasks.create(OTHER_REQUEST);
      await client.tasks.create(OTHER_REQUEST);
    };
    expect((await probe(client, afterWork(journal, createTwo))).evidence).toBe(expected);
  });
});

test.each([
  ["created", "created"],
  ["not_created", "unclear"],
] as const)("the evidence after a redirect is %s, and %s after another one", async (expected, later) => {
  const service = countingService({ isCreated: expected === "created" });
  const { client } = createWorld((request) => {
    const answer = service.answer(request);
    if (request.method !== "POST") return answer;
    Promise.resolve(answer).catch(() => {});
    return new Response(null, { status: 302, headers: { Location: "https://elsewhere.example/" } });
  });
  const { journal } = service;
  const error = await probe(client, journal);
  expect([error.evidence, error.status]).toEqual([expected, 302]);
  expect((await probe(client, journal)).evidence).toBe(expected);

  // The redirected create of another request has created a task.
  await rejection(client.tasks.create(OTHER_REQUEST), ApiError);
  expect((await probe(client, journal)).evidence).toBe(later);
});

test("there is no evidence while the POST of another process may be in flight", async () => {
  const { clock, journal, run } = countingService();
  const at = new Date(clock.now()).toISOString();
  await journal.put(KEY, journalEntry("intent", { at, tasks_created: 7 }), null);
  expect(await run()).toMatchObject({ checkAgainAt: expect.any(Date), evidence: null });
  await clock.sleep(118_000);
  expect(await run()).toMatchObject({ checkAgainAt: null, evidence: expect.any(String) });
});

test("an abort ends the search for evidence, even if the service does not respond", async () => {
  const controller = new AbortController();
  const { answer, journal } = countingService();
  let posted = false;
  const { client } = createWorld((request) => {
    if (request.method === "POST") posted = true;
    if (!posted || request.method === "POST") return answer(request);
    controller.abort();
    return new Promise(() => {});
  });
  const { signal } = controller;
  const error = await probe(client, journal, { signal });
  expect([error.evidence, error.journalKey]).toEqual([null, KEY]);
});

test("the error has the journal key", async () => {
  const { run, client } = countingService();
  expect((await run()).journalKey).toBe(KEY);
  expect((await run()).toJSON()).toMatchObject({ journalKey: KEY });
  const bare = client.tasks.run(SONG_REQUEST);
  expect((await rejection(bare, SubmissionOutcomeUnknownError)).journalKey).toBeNull();
});

test("the account is read before the intent and again once the outcome is unknown", async () => {
  const { run, requests } = countingService();
  await run();
  expect(requests.map(({ path }) => path)).toEqual([
    "/api/v1/account/usage",
    "/api/v1/task",
    "/api/v1/account/usage",
  ]);
});

const CREATED = { task_id: OTHER_TASK_ID };
test.each<[what: string, isCreated: boolean, answer: () => Response | Promise<Response>]>([
  ["was refused", false, () => refusal(402, "insufficient_credits")],
  ["received a broken response that names its task", true, () => ok(CREATED)],
  ["lost its connection after the task ID", true, () => new Response(`{"data":${JSON.stringify(CREATED)}`)],
])("another create of this client that %s counts only if it created a task", async (_, isCreated, answer) => {
  const service = countingService({ others: isCreated ? 1 : 0 });
  const world = createWorld((request) => (request.body.includes("sun") ? answer() : service.answer(request)));
  const create = () => world.client.tasks.create(OTHER_REQUEST).catch(() => {});
  expect((await probe(world.client, afterWork(memoryJournal(), create))).evidence).toBe("created");
});

test("a create that is aborted with an error that names a task counts as none", async () => {
  const service = countingService();
  const limitedFirst = createWorld((request, index) => (index === 1 ? limited(60) : service.answer(request)));
  const { client, clock } = limitedFirst;
  const reason = new AsyncMusicError("failed", { taskId: OTHER_TASK_ID });
  const create = () =>
    client.tasks.create(OTHER_REQUEST, { signal: abortedAfter(clock, 1000, reason) }).catch(() => {});
  expect((await probe(client, afterWork(memoryJournal(), create))).evidence).toBe("created");
});

test("after a restart, creates of this client from before the run make the evidence unclear", async () => {
  const { run, journal, answer } = countingService({ isCreated: true });
  const early = createWorld(answer);
  await early.client.tasks.create(OTHER_REQUEST);
  await run();
  expect((await probe(early.client, journal)).evidence).toBe("unclear");
});

test.each([
  [0, "not_created"],
  [1, "unclear"],
  [2, "unclear"],
])("after a restart, the POSTs of two keys in flight have created %i tasks: %s", async (count, evidence) => {
  let created = 7;
  const answer = ({ path }: SeenRequest) => {
    if (path.endsWith("/usage")) return usage({ tasks_created: created });
    return Promise.reject(new TypeError("fetch failed"));
  };
  const journal = memoryJournal();
  const { client } = createWorld(answer);
  const keys = ["order-1", "order-2"];
  await Promise.all(keys.map((journalKey) => probe(client, journal, { journalKey })));
  created += count;
  const restarted = createWorld(answer);
  for (const journalKey of keys)
    expect((await probe(restarted.client, journal, { journalKey })).evidence).toBe(evidence);
});

test.each(["submitted", "intent"] as const)(
  "after a restart, one more task and another open key that is %s",
  async (state) => {
    const { client, journal } = countingService({ before: 8 });
    await journal.put(
      KEY,
      journalEntry("intent", { tasks_created: 7, at: "2025-12-31T23:00:00.000Z" }),
      null,
    );
    await journal.put("order-2", journalEntry(state, { tasks_created: 7 }), null);
    const { evidence } = await probe(client, journal);
    expect(evidence).toBe(state === "submitted" ? "created" : "unclear");
  },
);

test("creates from before the first usage sample don't count", async () => {
  const service = countingService({ isCreated: true });
  await service.client.tasks.create(OTHER_REQUEST);
  await service.client.tasks.create(OTHER_REQUEST);
  expect((await service.run()).evidence).toBe("created");
});

test("two concurrent runs with created tasks and unknown outcomes: neither is reported as not created", async () => {
  const { run } = countingService();
  const errors = await Promise.all([run({ journalKey: "order-1" }), run({ journalKey: "order-2" })]);
  expect(errors.map(({ evidence }) => evidence)).not.toContain("not_created");
});

test("there is no evidence for an intent without a count, or when a usage read fails", async () => {
  const { client, journal } = countingService();
  await journal.put(KEY, journalEntry("intent"), null);
  expect((await probe(client, journal)).evidence).toBeNull();

  let reads = 0;
  const failing = createWorld(({ path }) => {
    if (path.endsWith("/usage") && reads++ === 0) return usage();
    return path.endsWith("/usage") ? refusal(500, "internal_error") : refusal(502, "upstream_provider_error");
  });
  const error = await probe(failing.client, journal, { journalKey: "order-2" });
  expect(error.evidence).toBeNull();
  expect(error.message).not.toContain("  ");
});

test("if the first usage read fails, nothing is sent and the key stays free", async () => {
  const journal = memoryJournal();
  const world = createWorld(() => refusal(500, "internal_error"));
  const run = world.client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY, probe: true });
  await rejection(run, ServerError);
  expect(posts(world)).toEqual([]);
  expect(await journal.get(KEY)).toBeNull();
});

import { getEventListeners } from "node:events";
import {
  ApiError,
  AsyncMusicError,
  BadRequestError,
  ConnectionError,
  InsufficientCreditsError,
  InvalidOptionError,
  InvalidRequestError,
  InvalidResponseError,
  JournalConflictError,
  JournalError,
  memoryJournal,
  RateLimitedError,
  ServerError,
  SubmissionOutcomeUnknownError,
  settleOutcome,
  type Task,
  TaskFailedError,
  TaskNotFoundError,
  type TaskRequest,
  type TaskSubmission,
} from "async-music";
import { describe, expect, test } from "vitest";
import { abortedAfter } from "../support/abort.js";
import { BADLY_JOINED } from "../support/badly-joined.js";
import { recorder } from "../support/collect.js";
import { fail, journaledWorld, KEY, OTHER_REQUEST } from "../support/journaled.js";
import { journalEntry, posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  done,
  failed,
  limited,
  lost,
  ok,
  refusal,
  running,
  SONG_REQUEST,
  serve,
  submission,
  succeeded,
  TASK_ID,
  unreachable,
} from "../support/responses.js";
import { turns } from "../support/test-clock.js";
import { API_KEY, createWorld, inTurn, type SeenRequest } from "../support/world.js";

/** A 202 that breaks the contract, but names its task. */
const broken = () => Response.json({ code: 202, data: { task_id: TASK_ID } }, { status: 202 });

/** A world whose POST gets its response from the test. */
function heldPost() {
  let respond = (_: Response) => {};
  const world = journaledWorld(({ method }: SeenRequest) =>
    method === "POST" ? new Promise<Response>((resolve) => (respond = resolve)) : done(),
  );
  return { ...world, answer: (response: Response) => respond(response) };
}

test("the intent is in the journal before the POST is sent, and the task after its response", async () => {
  const { seen, note } = recorder<unknown>();
  const { run, entry } = journaledWorld(async (request) => {
    note(await entry());
    return serve(request);
  });
  await run({ requestId: "request-1" });
  const common = {
    revision: expect.any(String),
    request: SONG_REQUEST,
    request_id: "request-1",
    at: "2026-01-01T00:00:00.000Z",
    tasks_created: null,
    timeout_ms: 30_000,
  };
  expect(seen).toEqual([
    { state: "intent", ...common },
    { state: "submitted", ...common, task_id: TASK_ID, submission: submission() },
  ]);
});

test("a run reads its journal once and writes three times: the intent, the task and the end", async () => {
  const { run, calls } = journaledWorld(serve);
  await run();
  expect(calls).toEqual(["get", "put", "put", "put"]);
});

test("no intent is written while the POST waits for the rate limit", async () => {
  const { client, clock, run, entry } = journaledWorld(() => limited(100));
  await rejection(client.tasks.create(OTHER_REQUEST, { maxRetries: 0 }), RateLimitedError);
  const waiting = run({ signal: abortedAfter(clock, 50_001, "stop") });
  await clock.sleep(50_000);
  expect(await entry()).toBeNull();
  await expect(waiting).rejects.toBe("stop");
});

test("a run with the same key waits for the same task, with another client too", async () => {
  const first = journaledWorld(inTurn(accepted, done));
  await first.run();
  const second = createWorld(done);
  const again = second.client.tasks.run(SONG_REQUEST, { journal: first.journal, journalKey: KEY });
  await expect(again).resolves.toEqual(succeeded());
  await first.run();
  expect([...posts(first), ...posts(second)]).toHaveLength(1);
});

test("a run that was aborted while it waited is resumed", async () => {
  const controller = new AbortController();
  const { run, requests } = journaledWorld(inTurn(accepted, running, done));
  const left = run({ signal: controller.signal, onUpdate: () => controller.abort("left") });
  await expect(left).rejects.toBe("left");
  await expect(run()).resolves.toEqual(succeeded());
  expect(requests.map(({ method }) => method)).toEqual(["POST", "GET", "GET"]);
});

test.each([
  ["whose end no run has recorded is first read after a second, since another process may poll it", {}, 1000],
  ["whose end is recorded is read at once", { status: "success" } as const, 0],
])("a resumed task %s", async (_, fields, ms) => {
  const { seen, note } = recorder<number>();
  const world = journaledWorld(() => {
    note(world.clock.elapsed());
    return done();
  });
  await world.write(journalEntry("submitted", { ...fields, at: "2025-12-31T23:00:00.000Z" }));
  await world.run();
  expect(seen).toEqual([ms]);
});

test.each([
  ["just now", 0],
  ["half a minute ago", 30_000],
  ["a minute ago", 60_000],
  ["an hour ago", 3_600_000],
])(
  "a wait of twice the shortest `pollIntervalMs` is enough to read a task that was created %s",
  async (_, agoMs) => {
    for (const shortest of [1000, 5000]) {
      const { client, clock, requests } = createWorld(done, { random: () => 0.999 });
      const journal = memoryJournal();
      const at = new Date(clock.now() - agoMs).toISOString();
      const created = submission({ created_at: at }) as unknown as TaskSubmission;
      await journal.put(KEY, journalEntry("submitted", { at, submission: created }), null);
      const waiting = { pollIntervalMs: [shortest, 10_000], maxWaitMs: 2 * shortest } as const;
      const song = await client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY, ...waiting });
      expect([song, requests.length]).toEqual([succeeded(), 1]);
    }
  },
);

test("a resumed task that does not exist is reported with its key", async () => {
  const { run, write } = journaledWorld(() => refusal(404, "task_not_found"));
  await write(journalEntry("submitted"));
  expect((await rejection(run(), TaskNotFoundError)).message).toContain(`"${KEY}"`);
});

test("a free key with a planned request that contains the API key is freed, and nothing is sent", async () => {
  const request = { ...SONG_REQUEST, input: { gpt_description_prompt: `rain ${API_KEY}` } };
  const { run, write, entry, requests } = journaledWorld(serve);
  await write(journalEntry("intent", { settled: true, request }));
  expect((await rejection(run(), InvalidOptionError)).option).toBe("request");
  expect(await entry()).toBeNull();
  expect(requests).toEqual([]);
});

test("a failed task is reported again under its key, without another POST", async () => {
  const world = journaledWorld(inTurn(accepted, ok(failed())));
  for (let time = 0; time < 3; time++) {
    expect((await rejection(world.run(), TaskFailedError)).taskId).toBe(TASK_ID);
  }
  expect(posts(world)).toHaveLength(1);
});

test.each(["success", "failure", "timeout"])("a task that ends in %s closes its key", async (status) => {
  const ended = status === "success" ? succeeded() : failed({ status });
  const { run, entry, inner, requests } = journaledWorld(inTurn(accepted, ok(ended)));
  const [first] = await Promise.allSettled([run()]);
  expect(await entry()).toMatchObject({ state: "submitted", status });
  expect(await inner.open()).toEqual([]);
  const [second] = await Promise.allSettled([run()]);
  expect(second?.status).toBe(first?.status);
  expect(requests.map(({ method }) => method)).toEqual(["POST", "GET", "GET"]);
});

describe("onSubmitted", () => {
  /** A run whose key was settled with its task. */
  const settledRun = async (...answers: Parameters<typeof inTurn>) => {
    const world = journaledWorld(inTurn(...answers));
    await world.write(journalEntry("intent"));
    await world.settle(TASK_ID);
    return world;
  };

  test("is called when a run is resumed, too", async () => {
    const { seen, note: onSubmitted } = recorder<TaskSubmission>();
    const { run } = journaledWorld(serve);
    await run({ onSubmitted });
    await run({ onSubmitted });
    expect(seen).toEqual([submission(), submission()]);
  });

  test("for a task that the journal knows by its ID is called once, after the first read and before onUpdate", async () => {
    const { run } = await settledRun(running, done);
    const { seen, note } = recorder<unknown>();
    await run({ onSubmitted: note, onUpdate: ({ status }: Task) => note(status) });
    expect(seen).toEqual([submission(), "running", "success"]);
  });

  test.each(["2026-01-01T00:00:30Z", null])("takes its fields from a task of %s", async (created_at) => {
    const read = { credits_cost: 3, audio_format: "mp3", created_at };
    const { run, entry } = await settledRun(ok(failed({ ...read, type: "lyrics" })));
    const { seen, note: onSubmitted } = recorder<TaskSubmission>();
    await rejection(run({ onSubmitted }), TaskFailedError);
    const { credits_cost: credits_charged, ...fields } = read;
    const at = (await entry())?.at;
    expect(seen).toEqual([submission({ ...fields, credits_charged, created_at: created_at ?? at })]);
  });

  test("is called with the task of an error that names it", async () => {
    const { run } = journaledWorld(inTurn(broken, done));
    const { seen, note: onSubmitted } = recorder<TaskSubmission>();
    await rejection(run({ onSubmitted }), InvalidResponseError);
    await run({ onSubmitted });
    expect(seen).toEqual([submission()]);
  });

  test("ends the run with the ID of the task, if it throws", async () => {
    const { run, requests } = await settledRun(running, done);
    const error = await rejection(run({ onSubmitted: fail }), AsyncMusicError);
    expect(error).toMatchObject({ taskId: TASK_ID, message: expect.stringContaining("`onSubmitted` threw") });
    expect(requests).toHaveLength(1);
  });
});

describe("two requests with one key", () => {
  const requestOf = (input: string) => ({
    model: "provider_a",
    task_type: "music",
    input: JSON.parse(input),
  });
  const runBoth = async (one: object, other: object) => {
    const { client, journal } = journaledWorld(serve);
    const run = (request: object) =>
      client.tasks.run(request as TaskRequest, { journal, journalKey: KEY }).catch((error) => error);
    return [await run(one), await run(other)];
  };

  test.each([
    ['{"tags":"a","prompt":"b"}', '{"prompt":"b","tags":"a"}'],
    ['{"tags":"a","title":{"c":1,"a":2,"b":3}}', '{"title":{"a":2,"b":3,"c":1},"tags":"a"}'],
    ['{"tags":"a","title":[{"c":1,"d":null}]}', '{"tags":"a","title":[{"d":null,"c":1}]}'],
  ])("%s and %s are the same, also with undefined fields", async (one, other) => {
    const undefinedFields = { audio_format: undefined, input: { ...JSON.parse(other), seed: undefined } };
    const song = succeeded();
    expect(await runBoth(requestOf(one), { ...requestOf(other), ...undefinedFields })).toEqual([song, song]);
  });

  test.each([
    ['{"tags":"a"}', '{"tags":"b"}'],
    ['{"tags":"a","title":{"a":1}}', '{"tags":"a","title":{"b":1}}'],
    ['{"tags":"a","title":1}', '{"tags":"a","title":"1"}'],
    ['{"tags":"a","title":null}', '{"tags":"a"}'],
    ['{"tags":"a","title":{"a":1,"b":2}}', '{"tags":"a","title":{"a":2,"b":1}}'],
    ['{"tags":"a","title":{"a":1,"b":2}}', '{"tags":"a","title":{"a":1}}'],
    ['{"tags":"a","title":["one","other"]}', '{"tags":"a","title":["other","one"]}'],
    ['{"tags":"a","title":["one"]}', '{"tags":"a","title":{"0":"one"}}'],
  ])("%s and %s are a conflict", async (one, other) => {
    const [, error] = await runBoth(requestOf(one), requestOf(other));
    expect(error).toBeInstanceOf(JournalConflictError);
  });
});

test.each(["submitted", "intent"] as const)("a key in state %s takes no other request", async (state) => {
  const { write, runOther, requests } = journaledWorld(serve);
  await write(journalEntry(state));
  const { journalKey, message } = await rejection(runOther(), JournalConflictError);
  expect(journalKey).toBe(KEY);
  expect(message).toContain(`"${KEY}"`);
  expect(message).not.toContain("sun in Faro");
  expect(message.includes(`, which created task ${TASK_ID}.`)).toBe(state === "submitted");
  expect(message.includes("created task")).toBe(state === "submitted");
  expect(message).toMatch(/(another request|created task [-\w]+)\. Nothing was sent\. .*a new journal key/);
  expect(requests).toEqual([]);
});

test.each([
  ["a refusal", () => refusal(402, "insufficient_credits"), InsufficientCreditsError],
  ["a 400", () => refusal(400, "never_heard_of"), BadRequestError],
  ["a 499", () => refusal(499, "never_heard_of"), ApiError],
  ["a POST that was not sent", unreachable, ConnectionError],
])("%s leaves the key free", async (_, answer, kind) => {
  const world = journaledWorld(inTurn(answer, accepted, done));
  await rejection(world.run(), kind);
  expect(await world.entry()).toBeNull();
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(2);
});

test("a request that fails validation does not touch the journal", async () => {
  const { client, journal, calls } = journaledWorld(serve);
  const bad = { model: "provider_a", task_type: "lyrics", input: { prompt: " " } } as const;
  await rejection(client.tasks.run(bad, { journal, journalKey: KEY }), InvalidRequestError);
  expect(calls).toEqual([]);
});

test("an abort before anything was sent, or while the intent is written, leaves the key free", async () => {
  for (const when of ["before", "while"]) {
    const controller = new AbortController();
    const { run, entry, inner, broken, requests } = journaledWorld(serve);
    if (when === "before") controller.abort("no");
    broken.put = async (...written) => {
      const isPut = await inner.put(...written);
      controller.abort("no");
      return isPut;
    };
    await expect(run({ signal: controller.signal })).rejects.toBe("no");
    expect(await entry()).toBeNull();
    expect(requests).toEqual([]);
  }
});

const OF_ANOTHER = { taskId: "task-of-another" };
const UNKNOWN = { request: {}, requestId: "request-1", status: null };
const FAILED = { status: 500, errorCode: "internal_error", requestId: "request-1", headers: new Headers() };

test.each([
  ["a string", "no"],
  ["another run's failed task", new AsyncMusicError("failed", OF_ANOTHER)],
  ["an unknown outcome", new SubmissionOutcomeUnknownError("lost", UNKNOWN)],
  [
    "an unknown outcome that names its task",
    new SubmissionOutcomeUnknownError("lost", { ...UNKNOWN, ...OF_ANOTHER }),
  ],
  ["a failure of the server", new ServerError("away", { ...FAILED, ...OF_ANOTHER })],
  ["NaN", Number.NaN],
  ["null", null],
])("an abort with %s as its reason leaves the key free", async (_, reason) => {
  const { run, entry, clock, requests } = journaledWorld(inTurn(limited(60), accepted, done));
  await expect(run({ signal: abortedAfter(clock, 30_000, reason) })).rejects.toBe(reason);
  expect(await entry()).toBeNull();
  expect((await run()).task_id).toBe(TASK_ID);
  expect(posts({ requests })).toHaveLength(2);
});

test("a rate-limited POST is not sent again if another run took its key meanwhile", async () => {
  const world = journaledWorld(inTurn(limited(60), accepted));
  void world.clock.sleep(30_000).then(() => world.write(journalEntry("intent")));
  await rejection(world.run(), SubmissionOutcomeUnknownError);
  expect(posts(world)).toHaveLength(1);
  expect(await world.entry()).toEqual(journalEntry("intent"));
});

test("a rate-limited POST is not sent again if the journal fails meanwhile, and the key is free", async () => {
  const world = journaledWorld(() => limited(60));
  void world.clock.sleep(30_000).then(() => {
    world.broken.put = fail;
  });
  const error = await rejection(world.run(), JournalError);
  const message = expect.stringContaining("refused this run's request, which created no task");
  expect(error).toMatchObject({ sent: true, message });
  expect(posts(world)).toHaveLength(1);
  expect(await world.entry()).toBeNull();
});

const other = { "X-Request-Id": "other-1" };

test.each([
  ["a response of the service has its", () => refusal(502, "upstream_provider_error", other), "other-1"],
  [
    "the page of a gateway has the sent",
    () => new Response("<html>", { status: 502, headers: other }),
    "request-1",
  ],
  ["a 408 of a gateway has the sent", () => new Response("", { status: 408, headers: other }), "request-1"],
  ["an unreadable 202 has the sent", () => new Response("{", { status: 202, headers: other }), "request-1"],
])(
  "an unknown outcome after %s request ID, and the journal has the sent one",
  async (_, answer, requestId) => {
    const { client, run, entry } = journaledWorld(answer);
    const reported: unknown[] = [];
    client.on("submission", ({ error }) => reported.push(error));
    const error = await rejection(run({ requestId: "request-1" }), SubmissionOutcomeUnknownError);
    expect(error).toMatchObject({ requestId, message: expect.stringContaining(requestId) });
    expect(reported).toMatchObject([{ requestId }]);
    expect(await entry()).toMatchObject({ state: "intent", request_id: "request-1" });
  },
);

test.each([
  ["a broken connection", lost, null],
  ["a 502", () => refusal(502, "upstream_provider_error"), 502],
  ["a 500", () => refusal(500, "internal_error"), 500],
  ["a 202 without a task ID", () => Response.json({ code: 202, data: {} }, { status: 202 }), 202],
  ["a 408 of a gateway", () => new Response("Request Timeout", { status: 408 }), 408],
  ["a redirect", () => new Response(null, { status: 302, headers: { Location: "https://a.example" } }), 302],
])("after %s the outcome stays unknown, and a restart sends nothing", async (_, answer, status) => {
  const world = journaledWorld(inTurn(answer, accepted));
  const first = await rejection(world.run({ requestId: "request-1" }), SubmissionOutcomeUnknownError);
  const entry = await world.entry();
  expect(entry).toMatchObject({ state: "intent" });
  expect(posts(world)).toHaveLength(1);

  const restarted = createWorld(done);
  const again = restarted.client.tasks.run(SONG_REQUEST, { journal: world.journal, journalKey: KEY });
  const second = await rejection(again, SubmissionOutcomeUnknownError);
  expect(restarted.requests).toEqual([]);
  const common = { request: SONG_REQUEST, requestId: "request-1" };
  expect(first).toMatchObject({ ...common, status, evidence: null });
  expect(second).toMatchObject({ ...common, status: null });
  for (const { message, checkAgainAt } of [first, second]) {
    expect(message).toContain(`run journal key "${KEY}" again at ${checkAgainAt?.toISOString()} or later`);
    expect(message.split("request-1")).toHaveLength(2);
    expect(message.match(/\. /g)?.length).toBeLessThanOrEqual(3);
    expect(message).not.toMatch(BADLY_JOINED);
  }
  expect(first.message).not.toContain(entry?.at);
  expect(second.message).toContain(entry?.at);
});

test("a broken response that names its task is recorded, and the next run waits for that task", async () => {
  const cut = () => new Response(`{"code":202,"data":{"task_id":"${TASK_ID}","ty`, { status: 202 });
  for (const [response, kind] of [
    [broken, InvalidResponseError],
    [cut, SubmissionOutcomeUnknownError],
  ] as const) {
    const world = journaledWorld(inTurn(response, done));
    const error = await rejection<AsyncMusicError>(world.run(), kind);
    expect(error.taskId).toBe(TASK_ID);
    if (error instanceof SubmissionOutcomeUnknownError) expect(error.journalKey).toBe(KEY);
    await expect(world.run()).resolves.toEqual(succeeded());
    expect(posts(world)).toHaveLength(1);
  }
});

describe("the POST of an aborted run", () => {
  /** A run that is aborted while its POST is in flight; the test sends the response. */
  async function abortedRun() {
    const world = heldPost();
    const controller = new AbortController();
    const { seen: submissions, note: onSubmitted } = recorder<TaskSubmission>();
    const left = world.run({ signal: controller.signal, onSubmitted });
    const rejected = rejection(left, SubmissionOutcomeUnknownError);
    await turns(20);
    controller.abort("left");
    const error = await rejected;
    const answer = async (response: Response) => {
      world.answer(response);
      await turns(20);
    };
    return { ...world, submissions, error, answer };
  }

  test("is recorded when its response comes, and onSubmitted is called", async () => {
    const { entry, requests, submissions, error, answer } = await abortedRun();
    expect(error).toMatchObject({ journalKey: KEY, cause: "left", taskId: null });
    expect(await entry()).toMatchObject({ state: "intent", request_id: error.requestId });
    await answer(accepted());
    expect(await entry()).toMatchObject({ state: "submitted", task_id: TASK_ID });
    expect(submissions).toEqual([submission()]);
    expect(requests).toHaveLength(1);
  });

  test("is awaited by a second run of the key, without another charge", async () => {
    const world = await abortedRun();
    const again = world.run();
    await turns(20);
    await world.answer(accepted());
    await expect(again).resolves.toEqual(succeeded());
    expect(posts(world)).toHaveLength(1);
  });

  test("frees the key if it is refused", async () => {
    const { answer, entry, submissions } = await abortedRun();
    await answer(refusal(402, "insufficient_credits"));
    expect(await entry()).toBeNull();
    expect(submissions).toEqual([]);
  });

  test("keeps its key from being freed while it is in flight", async () => {
    const { journal, answer, entry } = await abortedRun();
    const settling = settleOutcome(journal, KEY, null);
    await turns(20);
    expect(await entry()).toMatchObject({ state: "intent" });
    await answer(accepted());
    expect(await settling).toBe(false);
    expect(await entry()).toMatchObject({ task_id: TASK_ID });
  });
});

test("a second run in the same process waits for the first one, however long that takes", async () => {
  const world = journaledWorld(serve);
  world.broken.put = async (key, entry, previous) => {
    if (entry.state === "submitted") await world.clock.sleep(600_000);
    return world.inner.put(key, entry, previous);
  };
  await expect(Promise.all([world.run(), world.run()])).resolves.toEqual([succeeded(), succeeded()]);
  expect(posts(world)).toHaveLength(1);
});

test("of two runs in one process, the second one sends its POST when the first is refused", async () => {
  const { run } = journaledWorld(inTurn(refusal(402, "insufficient_credits"), accepted, done));
  const [first, second] = await Promise.allSettled([run(), run()]);
  expect(first.status).toBe("rejected");
  expect(second).toEqual({ status: "fulfilled", value: succeeded() });
});

test("a run that starts after the first one has ended waits for the second", async () => {
  const { run, calls, requests, answer } = heldPost();
  const [first, second] = [rejection(run(), InsufficientCreditsError), run()];
  await turns(20);
  answer(refusal(402, "insufficient_credits"));
  await first;
  await turns(20);
  const third = run();
  await turns(20);
  expect(calls.filter((method) => method === "get")).toHaveLength(2);
  answer(accepted());
  await expect(Promise.all([second, third])).resolves.toEqual([succeeded(), succeeded()]);
  expect(posts({ requests })).toHaveLength(2);
});

test("a run that is aborted in the queue neither blocks later runs nor lets them overtake the first", async () => {
  const { run, calls, requests, answer } = heldPost();
  const [controller, { signal }] = [new AbortController(), new AbortController()];
  const [first, second, third] = [run(), run({ signal: controller.signal }), run({ signal })];
  await turns(20);
  controller.abort("left");
  await expect(second).rejects.toBe("left");
  await turns(20);
  expect(calls.filter((method) => method === "get")).toHaveLength(1);
  answer(accepted());
  await expect(Promise.all([first, third])).resolves.toEqual([succeeded(), succeeded()]);
  expect(posts({ requests })).toHaveLength(1);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test.each<[option: string, options: object, message?: string]>([
  ["journalKey", { journal: memoryJournal() }, "`journal` needs `journalKey`."],
  ["journal", { journalKey: KEY }, "`journalKey` needs `journal`."],
  ["probe", { probe: true }, "`probe` needs `journal`."],
  [
    "journalKey",
    { journal: memoryJournal(), journalKey: "" },
    "a string that is not empty; got a string of length 0.",
  ],
  ["journalKey", { journal: memoryJournal(), journalKey: 7 }],
  ["journalKey", { journal: memoryJournal(), journalKey: `order of ${API_KEY}` }],
  ["journal", { journal: {}, journalKey: KEY }],
  ["journal", { journal: null, journalKey: KEY }],
  ["journal", { journal: { ...memoryJournal(), get: undefined }, journalKey: KEY }],
  ["journal", { journal: { ...memoryJournal(), put: undefined }, journalKey: KEY }],
  ["journal", { journal: { ...memoryJournal(), delete: undefined }, journalKey: KEY }],
  ["probe", { journal: memoryJournal(), journalKey: KEY, probe: 1 }],
  ["onUnrecorded", { journal: memoryJournal(), journalKey: KEY, onUnrecorded: 1 }],
])("an invalid or missing %s is refused before anything is sent (%#)", async (option, options, message) => {
  const { client, requests } = createWorld(serve);
  const error = await rejection(client.tasks.run(SONG_REQUEST, options), InvalidOptionError);
  expect(error.option).toBe(option);
  expect(error.message).toContain(message ?? `\`${option}\``);
  expect(error.message).not.toContain(API_KEY);
  expect(requests).toEqual([]);
});

test.each(["k", "key", "1", "task"])("with the API key %j, a run is resumed unchanged", async (apiKey) => {
  const world = createWorld(serve, { apiKey });
  const options = { journal: memoryJournal(), journalKey: `${apiKey} 1` };
  for (const _ of [1, 2]) {
    await expect(world.client.tasks.run(SONG_REQUEST, options)).resolves.toEqual(succeeded());
  }
  expect(posts(world)).toHaveLength(1);
  expect(world.requests.at(-1)?.path).toBe(`/api/v1/task/${TASK_ID}`);
});

test("an entry never contains the API key", async () => {
  const { client, journal, entry } = journaledWorld(({ method }) =>
    method === "POST" ? accepted({ note: `for ${API_KEY}` }) : done(),
  );
  const request = { ...SONG_REQUEST, input: { gpt_description_prompt: `a song about ${API_KEY}` } };
  await client.tasks.run(request, { journal, journalKey: KEY, requestId: API_KEY });
  expect(JSON.stringify(await entry())).not.toContain(API_KEY);
  await client.tasks.run(request, { journal, journalKey: KEY });
});

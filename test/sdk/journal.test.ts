import { getEventListeners } from "node:events";
import {
  ApiError,
  AsyncMusicError,
  BadRequestError,
  type ClientOptions,
  ConnectionError,
  InsufficientCreditsError,
  InvalidOptionError,
  InvalidRequestError,
  InvalidResponseError,
  type Journal,
  JournalConflictError,
  JournalError,
  memoryJournal,
  RateLimitedError,
  type RunOptions,
  ServerError,
  SubmissionOutcomeUnknownError,
  settleOutcome,
  type Task,
  TaskFailedError,
  type TaskSubmission,
} from "async-music";
import { describe, expect, test } from "vitest";
import { abortedAfter } from "../support/abort.js";
import {
  accepted,
  done,
  failed,
  limited,
  lost,
  OTHER_TASK_ID,
  ok,
  refusal,
  SONG_REQUEST,
  serve,
  submission,
  succeeded,
  TASK_ID,
  task,
  unreachable,
} from "../support/answers.js";
import { BADLY_JOINED } from "../support/badly-joined.js";
import { recorder } from "../support/collect.js";
import { journalEntry, posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { createTestClock, turns } from "../support/test-clock.js";
import { API_KEY, createWorld, inTurn, type SeenRequest } from "../support/world.js";

const KEY = "order-1";
const OTHER_REQUEST = { ...SONG_REQUEST, input: { gpt_description_prompt: "sun in Faro" } } as const;

const submit = () => accepted();

const SERVER_ERROR = {
  status: 500,
  errorCode: "internal_error",
  requestId: "request-1",
  headers: new Headers(),
};
const unknownOutcome = (taskId?: string) =>
  new SubmissionOutcomeUnknownError("lost", { request: {}, requestId: "request-1", status: null, taskId });

/** A world whose runs use one journal and one key. */
function journaledWorld(answer: Parameters<typeof createWorld>[0], journal = memoryJournal()) {
  const world = createWorld(answer);
  const run = (options = {}) =>
    world.client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY, ...options });
  const entry = () => journal.get(KEY);
  const settle = (taskId: string | null) => settleOutcome(journal, KEY, taskId);
  return { ...world, journal, run, entry, settle };
}

/** A world in which the response to a first run is lost; its next requests get these. */
async function lostRun(...answers: Parameters<typeof inTurn>) {
  const world = journaledWorld(inTurn(lost, ...answers));
  await rejection(world.run(), SubmissionOutcomeUnknownError);
  return world;
}

/** Answers every POST when a test says so. */
function heldPost() {
  let answerPost = (_: Response) => {};
  const hold = ({ method }: SeenRequest) =>
    method === "POST" ? new Promise<Response>((resolve) => (answerPost = resolve)) : done();
  return { hold, answerPost: (response: Response) => answerPost(response) };
}

test("the intent is in the journal before the POST is sent, and the task after its response", async () => {
  const journal = memoryJournal();
  const seen: unknown[] = [];
  const { run } = journaledWorld(async (request) => {
    seen.push(await journal.get(KEY));
    return serve(request);
  }, journal);
  await run({ requestId: "request-1" });
  const common = {
    request: SONG_REQUEST,
    request_id: "request-1",
    at: "2026-01-01T00:00:00.000Z",
    tasks_created: null,
    timeout_ms: 30_000,
  };
  expect(seen).toEqual([
    { state: "intent", revision: expect.any(String), ...common },
    {
      state: "submitted",
      revision: expect.any(String),
      ...common,
      task_id: TASK_ID,
      submission: submission(),
    },
  ]);
});

test("no intent is written while the POST waits for the rate limit", async () => {
  const { client, clock, run, journal } = journaledWorld(() => limited(100));
  await rejection(client.tasks.create(OTHER_REQUEST, { maxRetries: 0 }), RateLimitedError);
  const running = run({ signal: abortedAfter(clock, 50_001, "stop") });
  await clock.sleep(50_000);
  expect(await journal.get(KEY)).toBeNull();
  await expect(running).rejects.toBe("stop");
});

test("a run with the same key waits for the same task, with another client too", async () => {
  const journal = memoryJournal();
  const first = journaledWorld(inTurn(accepted, done), journal);
  await first.run();
  const second = journaledWorld(done, journal);
  await expect(second.run()).resolves.toEqual(succeeded());
  await first.run();
  expect([...posts(first), ...posts(second)]).toHaveLength(1);
});

test("a run that was aborted while it waited is resumed", async () => {
  const controller = new AbortController();
  const { run, requests } = journaledWorld(inTurn(accepted, ok(task()), done));
  const left = run({ signal: controller.signal, onUpdate: () => controller.abort("left") });
  await expect(left).rejects.toBe("left");
  await expect(run()).resolves.toEqual(succeeded());
  expect(requests.map(({ method }) => method)).toEqual(["POST", "GET", "GET"]);
});

test.each([
  ["that no run has ended", {}, 1000],
  ["that has ended", { status: "success" } as const, 0],
])("the task of an earlier process %s is read after %s ms", async (_, ended, afterMs) => {
  const { journal, run, requests } = journaledWorld(done);
  const old = { at: "2025-12-31T00:00:00.000Z", ...ended };
  const created = submission({ created_at: old.at }) as unknown as TaskSubmission;
  await journal.put(KEY, journalEntry("submitted", { ...old, submission: created }), null);
  await run();
  expect(requests.map(({ method, at }) => [method, at])).toEqual([["GET", afterMs]]);
});

test("onSubmitted is called when a run is resumed, too", async () => {
  const { seen, note: onSubmitted } = recorder<TaskSubmission>();
  const { run } = journaledWorld(serve);
  await run({ onSubmitted });
  await run({ onSubmitted });
  expect(seen).toEqual([submission(), submission()]);
});

describe("onSubmitted for a task that the journal knows by its ID only", () => {
  const settledRun = async (...answers: Parameters<typeof inTurn>) => {
    const world = await lostRun(...answers);
    await world.settle(TASK_ID);
    return world;
  };

  test("is called once, after the first read and before onUpdate", async () => {
    const { run } = await settledRun(() => ok(task()), done);
    const { seen, note } = recorder<unknown>();
    await run({
      onSubmitted: (submitted: TaskSubmission) => note(submitted),
      onUpdate: ({ status }: Task) => note(status),
    });
    expect(seen).toEqual([submission(), "running", "success"]);
  });

  test.each(["2026-01-01T00:00:30Z", null])("takes its fields from a task of %s", async (created_at) => {
    const read = { type: "lyrics", credits_cost: 3, audio_format: "mp3", created_at };
    const { run, entry } = await settledRun(() => ok(failed(read)));
    const { seen, note: onSubmitted } = recorder<TaskSubmission>();
    await rejection(run({ onSubmitted }), TaskFailedError);
    const { credits_cost: credits_charged, ...fields } = read;
    const at = (await entry())?.at;
    expect(seen).toEqual([submission({ ...fields, credits_charged, created_at: created_at ?? at })]);
  });

  test("is called with the task of an error that names it", async () => {
    const broken = () => Response.json({ code: 202, data: { task_id: TASK_ID } }, { status: 202 });
    const { run } = journaledWorld(inTurn(broken, done));
    const { seen, note: onSubmitted } = recorder<TaskSubmission>();
    await rejection(run({ onSubmitted }), InvalidResponseError);
    await run({ onSubmitted });
    expect(seen).toEqual([submission()]);
  });

  test("ends the run with the ID of the task, if it throws", async () => {
    const { run, requests } = await settledRun(() => ok(task()), done);
    const reason = new Error("no disk");
    const onSubmitted = () => Promise.reject(reason);
    const error = await rejection(run({ onSubmitted }), AsyncMusicError);
    expect(error).toMatchObject({ taskId: TASK_ID, message: expect.stringContaining("`onSubmitted` threw") });
    expect(requests).toHaveLength(2);
  });
});

test("a failed task is reported again under its key, without another POST", async () => {
  const world = journaledWorld(inTurn(accepted, ok(failed())));
  for (let time = 0; time < 3; time++) {
    expect((await rejection(world.run(), TaskFailedError)).taskId).toBe(TASK_ID);
  }
  expect(posts(world)).toHaveLength(1);
});

test("requests that differ in key order or in undefined fields are the same request", async () => {
  const world = journaledWorld(serve);
  const { journal, client } = world;
  const reversed = {
    audio_format: undefined,
    input: { gpt_description_prompt: "rain in Lisbon", tags: undefined },
    task_type: "music",
    model: "provider_a",
  } as const;
  await world.run();
  await client.tasks.run(reversed, { journal, journalKey: KEY });
  expect(posts(world)).toHaveLength(1);
});

const STATES = ["submitted", "intent"] as const;
test.each(STATES)("the same key with another request is refused (%s)", async (state) => {
  const world = journaledWorld(serve);
  const { journal, client } = world;
  await journal.put(KEY, journalEntry(state), null);
  const run = client.tasks.run(OTHER_REQUEST, { journal, journalKey: KEY });
  const error = await rejection(run, JournalConflictError);
  expect(error.journalKey).toBe(KEY);
  expect(error.message).toContain(`"${KEY}"`);
  expect(error.message).not.toContain("sun in Faro");
  expect(error.message.includes(`, which created task ${TASK_ID}.`)).toBe(state === "submitted");
  expect(error.message.includes("created task")).toBe(state === "submitted");
  expect(world.requests).toEqual([]);
});

test.each([
  ["a refusal", () => refusal(402, "insufficient_credits"), InsufficientCreditsError],
  ["a 400", () => refusal(400, "never_heard_of"), BadRequestError],
  ["a 499", () => refusal(499, "never_heard_of"), ApiError],
  ["a POST that was not sent", unreachable, ConnectionError],
])("%s leaves the key free", async (_, answer, kind) => {
  const world = journaledWorld(inTurn(answer, accepted, done));
  await rejection(world.run(), kind);
  expect(await world.journal.get(KEY)).toBeNull();
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(2);
});

test("a request that fails validation does not touch the journal", async () => {
  const touched = () => expect.fail("The journal was called");
  const journal = { get: touched, put: touched, delete: touched };
  const { client } = createWorld(serve);
  const bad = { model: "provider_a", task_type: "lyrics", input: { prompt: " " } } as const;
  await rejection(client.tasks.run(bad, { journal, journalKey: KEY }), InvalidRequestError);
});

test("an abort before anything was sent leaves the key free", async () => {
  const { run, journal, requests } = journaledWorld(serve);
  await expect(run({ signal: AbortSignal.abort("no") })).rejects.toBe("no");
  expect(await journal.get(KEY)).toBeNull();
  expect(requests).toEqual([]);
});

test("an abort while the intent is being written sends nothing, and leaves the key free", async () => {
  const controller = new AbortController();
  const inner = memoryJournal();
  const put: typeof inner.put = async (...entry) => {
    const isPut = await inner.put(...entry);
    controller.abort("no");
    return isPut;
  };
  const { run, requests } = journaledWorld(serve, { ...inner, put });
  await expect(run({ signal: controller.signal })).rejects.toBe("no");
  expect(await inner.get(KEY)).toBeNull();
  expect(requests).toEqual([]);
});

test.each([
  ["a string", "no"],
  ["another run's failed task", new AsyncMusicError("failed", { taskId: "task-of-another" })],
  ["an unknown outcome", unknownOutcome()],
  ["an unknown outcome that names its task", unknownOutcome("task-of-another")],
  ["a failure of the server", new ServerError("away", { ...SERVER_ERROR, taskId: "task-of-another" })],
  ["NaN", Number.NaN],
  ["null", null],
])(
  "an abort whose reason is %s leaves the key free, and is not taken for an outcome of the POST",
  async (_, reason) => {
    const { run, journal, clock, requests } = journaledWorld(inTurn(limited(60), submit, done));
    await expect(run({ signal: abortedAfter(clock, 30_000, reason) })).rejects.toBe(reason);
    expect(await journal.get(KEY)).toBeNull();
    expect((await run()).task_id).toBe(TASK_ID);
    expect(posts({ requests })).toHaveLength(2);
  },
);

test("a rate-limited POST is not sent again if another run took its key meanwhile", async () => {
  const world = journaledWorld(inTurn(limited(60), submit));
  const { journal, clock } = world;
  void clock.sleep(30_000).then(() => journal.put(KEY, journalEntry("intent"), null));
  await rejection(world.run(), SubmissionOutcomeUnknownError);
  expect(posts(world)).toHaveLength(1);
  expect(await journal.get(KEY)).toEqual(journalEntry("intent"));
});

test("a run reads its journal once and writes three times: the intent, the task and the end", async () => {
  const inner = memoryJournal();
  const calls: string[] = [];
  const get: Journal["get"] = (key) => {
    calls.push("get");
    return inner.get(key);
  };
  const put: Journal["put"] = (...entry) => {
    calls.push("put");
    return inner.put(...entry);
  };
  await journaledWorld(serve, { ...inner, get, put }).run();
  expect(calls).toEqual(["get", "put", "put", "put"]);
});

test("a rate-limited POST is not sent again if the journal fails meanwhile, and the key is free", async () => {
  const inner = memoryJournal();
  let isAway = false;
  const put: typeof inner.put = (...entry) =>
    isAway ? Promise.reject(new Error("away")) : inner.put(...entry);
  const world = journaledWorld(() => limited(60), { ...inner, put });
  void world.clock.sleep(30_000).then(() => {
    isAway = true;
  });
  const error = await rejection(world.run(), JournalError);
  const message = expect.stringContaining("refused this run's request, which created no task");
  expect(error).toMatchObject({ sent: true, message });
  expect(posts(world)).toHaveLength(1);
  expect(await inner.get(KEY)).toBeNull();
});

test("an unknown outcome has the request id of the response, and the journal has the id that was sent", async () => {
  const answer = () => refusal(502, "upstream_provider_error", { "X-Request-Id": "gateway-1" });
  const world = journaledWorld(answer);
  const error = await rejection(world.run({ requestId: "request-1" }), SubmissionOutcomeUnknownError);
  expect(error).toMatchObject({ requestId: "gateway-1", message: expect.stringContaining("gateway-1") });
  expect(await world.journal.get(KEY)).toMatchObject({ state: "intent", request_id: "request-1" });
});

test.each([
  ["a broken connection", lost, null],
  ["a 502", () => refusal(502, "upstream_provider_error"), 502],
  ["a 500", () => refusal(500, "internal_error"), 500],
  ["a 202 without a task id", () => Response.json({ code: 202, data: {} }, { status: 202 }), 202],
  ["a 408 of a gateway", () => new Response("Request Timeout", { status: 408 }), 408],
  ["a redirect", () => new Response(null, { status: 302, headers: { Location: "https://a.example" } }), 302],
])("after %s the outcome stays unknown, and a restart sends nothing", async (_, answer, status) => {
  const world = journaledWorld(inTurn(answer, submit));
  const first = await rejection(world.run({ requestId: "request-1" }), SubmissionOutcomeUnknownError);
  expect(first).toMatchObject({ request: SONG_REQUEST, requestId: "request-1", status, evidence: null });
  const entry = await world.journal.get(KEY);
  expect(entry).toMatchObject({ state: "intent" });

  const restarted = journaledWorld(submit, world.journal);
  const second = await rejection(restarted.run(), SubmissionOutcomeUnknownError);
  expect(second).toMatchObject({ request: SONG_REQUEST, requestId: "request-1", status: null });
  for (const { message } of [first, second]) {
    expect(message).toContain(`settleOutcome(journal, "${KEY}", `);
    expect(message.split("request-1")).toHaveLength(2);
    expect(message.match(/\. /g)?.length).toBeLessThanOrEqual(3);
    expect(message).not.toMatch(BADLY_JOINED);
  }
  expect(first.message).not.toContain(entry?.at);
  expect(second.message).toContain(entry?.at);
  expect(posts(world)).toHaveLength(1);
  expect(restarted.requests).toEqual([]);
});

/** A run that is aborted while its POST is in flight; the test sends the response. */
async function abortedRun() {
  const { hold, answerPost } = heldPost();
  const world = journaledWorld(hold);
  const controller = new AbortController();
  const { seen: submissions, note: onSubmitted } = recorder<TaskSubmission>();
  const running = world.run({ signal: controller.signal, onSubmitted });
  running.catch(() => {});
  await turns(20);
  controller.abort("left");
  const error = await rejection(running, SubmissionOutcomeUnknownError);
  const answer = async (response: Response) => {
    answerPost(response);
    await turns(20);
  };
  return { ...world, submissions, error, answer };
}

test("a POST in flight at an abort is recorded when its response comes, and onSubmitted is called", async () => {
  const { journal, requests, submissions, error, answer } = await abortedRun();
  expect(error).toMatchObject({ journalKey: KEY, cause: "left", taskId: null });
  expect(await journal.get(KEY)).toMatchObject({ state: "intent", request_id: error.requestId });
  await answer(accepted());
  expect(await journal.get(KEY)).toMatchObject({ state: "submitted", task_id: TASK_ID });
  expect(submissions).toEqual([submission()]);
  expect(requests).toHaveLength(1);
});

test("a second run of the key waits for the POST of an aborted run, without another charge", async () => {
  const world = await abortedRun();
  const again = world.run();
  await turns(20);
  await world.answer(accepted());
  await expect(again).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(1);
});

test("a refusal of the POST of an aborted run frees the key", async () => {
  const world = await abortedRun();
  await world.answer(refusal(402, "insufficient_credits"));
  expect(await world.journal.get(KEY)).toBeNull();
  expect(world.submissions).toEqual([]);
});

test("settleOutcome with null frees the key of a POST that created nothing, and it can be run again", async () => {
  const world = await lostRun(submit, done);
  expect(await world.settle(null)).toBe(true);
  expect(await world.journal.open()).toEqual([]);
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(2);
});

test("a freed key takes another request", async () => {
  const { journal, settle, client, entry } = await lostRun(submit, done);
  await settle(null);
  await client.tasks.run(OTHER_REQUEST, { journal, journalKey: KEY });
  expect(await entry()).toMatchObject({ task_id: TASK_ID, request: OTHER_REQUEST });
});

test("a freed key that a refused run took can still be settled with the task", async () => {
  const world = await lostRun(refusal(402, "insufficient_credits"), done);
  const request_id = (await world.entry())?.request_id;
  await world.settle(null);
  await rejection(world.run(), InsufficientCreditsError);
  expect(await world.entry()).toMatchObject({ state: "intent", settled: true, request_id });
  expect(await world.settle(TASK_ID)).toBe(true);
  await expect(world.run()).resolves.toEqual(succeeded());
});

test("a new run that took a freed key is not settled with the old task", async () => {
  const journal = memoryJournal();
  const freed = journalEntry("intent", { settled: true });
  const taken = journalEntry("intent", { revision: "taken", request_id: "request-2" });
  await journal.put(KEY, freed, null);
  const put: Journal["put"] = async (...given) => {
    await journal.put(KEY, taken, freed.revision);
    return journal.put(...given);
  };
  expect(await settleOutcome({ ...journal, put }, KEY, TASK_ID)).toBe(false);
  expect(await journal.get(KEY)).toEqual(taken);
});

test("a settlement is corrected although a run records the end of its task at that moment", async () => {
  const journal = memoryJournal();
  const wrong = { settled: true, task_id: OTHER_TASK_ID } as const;
  const ended = journalEntry("submitted", { ...wrong, revision: "ended", status: "success" });
  await journal.put(KEY, journalEntry("submitted", wrong), null);
  const put: Journal["put"] = async (...given) => {
    await journal.put(KEY, ended, "revision-submitted");
    return journal.put(...given);
  };
  expect(await settleOutcome({ ...journal, put }, KEY, TASK_ID)).toBe(true);
  expect(await journal.get(KEY)).toMatchObject({ task_id: TASK_ID });
});

test.each([null, OTHER_TASK_ID, TASK_ID])(
  "the service's task replaces what another process settled while the POST was in flight: %s",
  async (settled) => {
    const journal = memoryJournal();
    // Another process has a journal object of its own, so it waits for no run of this one.
    const elsewhere = { ...journal };
    const { client } = createWorld(
      inTurn(async () => {
        await settleOutcome(elsewhere, KEY, settled);
        return submit();
      }, done),
    );
    const { seen: unrecorded, note: onUnrecorded } = recorder<unknown>();
    await client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY, onUnrecorded });
    expect(await journal.get(KEY)).toMatchObject({ task_id: TASK_ID, status: "success" });
    expect(await journal.get(KEY)).not.toHaveProperty("settled");
    expect(unrecorded).toEqual([]);
  },
);

test("settleOutcome with a task id records it, and the run resumes with that task", async () => {
  const world = await lostRun(done);
  const intent = await world.entry();
  expect(await world.settle(TASK_ID)).toBe(true);
  const record = { ...intent, state: "submitted", task_id: TASK_ID, submission: null, settled: true };
  expect(await world.entry()).toEqual({ ...record, revision: expect.any(String) });
  expect((await world.entry())?.revision).not.toBe(intent?.revision);
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(1);
});

test("a wrong settlement is replaced by the right task, and the run continues with that one", async () => {
  const world = await lostRun(done);
  expect(await world.settle(OTHER_TASK_ID)).toBe(true);
  expect(await world.settle(TASK_ID)).toBe(true);
  const settled = await world.entry();
  expect(settled).toMatchObject({ state: "submitted", task_id: TASK_ID, settled: true });
  expect(await world.settle(TASK_ID)).toBe(true);
  expect(await world.entry()).toEqual(settled);
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(1);
});

test("a wrong settlement is withdrawn with null, also after a run has returned its task", async () => {
  const world = await lostRun(done, submit, done);
  await world.settle(TASK_ID);
  await world.run();
  expect(await world.entry()).toMatchObject({ settled: true, status: "success" });
  expect(await world.settle(null)).toBe(true);
  await world.run();
  expect(posts(world)).toHaveLength(2);
});

test("a corrected settlement is open again until a run has returned the right task", async () => {
  const journal = memoryJournal();
  const fields = { settled: true, status: "success", task_id: OTHER_TASK_ID } as const;
  await journal.put(KEY, journalEntry("submitted", fields), null);
  expect(await journal.open()).toEqual([]);
  await settleOutcome(journal, KEY, TASK_ID);
  expect(await journal.open()).toMatchObject([{ key: KEY, task_id: TASK_ID }]);
});

test("a task id that the service returned for a key is never replaced, and a key that holds nothing is not settled", async () => {
  const journal = memoryJournal();
  expect(await settleOutcome(journal, KEY, TASK_ID)).toBe(false);
  expect(await journal.get(KEY)).toBeNull();

  const broken = () => Response.json({ code: 202, data: { task_id: TASK_ID } }, { status: 202 });
  for (const [journalKey, response] of [
    ["whole", submit],
    ["broken", broken],
  ] as const) {
    const { client } = createWorld(inTurn(response, done));
    await client.tasks.run(SONG_REQUEST, { journal, journalKey }).catch(() => {});
    const recorded = await journal.get(journalKey);
    for (const taskId of [null, OTHER_TASK_ID])
      expect(await settleOutcome(journal, journalKey, taskId)).toBe(false);
    expect(await settleOutcome(journal, journalKey, TASK_ID)).toBe(true);
    expect(await journal.get(journalKey)).toEqual(recorded);
    expect(recorded).toMatchObject({ task_id: TASK_ID });
  }
});

test("a key is not freed while the POST of an aborted run is still in flight", async () => {
  const { journal, answer } = await abortedRun();
  const settling = settleOutcome(journal, KEY, null);
  await turns(20);
  expect(await journal.get(KEY)).toMatchObject({ state: "intent" });
  await answer(accepted());
  expect(await settling).toBe(false);
  expect(await journal.get(KEY)).toMatchObject({ task_id: TASK_ID });
});

test("settleOutcome returns false if another process frees the key at the same time", async () => {
  const inner = memoryJournal();
  await inner.put(KEY, journalEntry("intent"), null);
  const slow: typeof inner.get = async (key) => {
    const entry = await inner.get(key);
    await inner.delete(key, entry?.revision ?? "");
    return entry;
  };
  expect(await settleOutcome({ ...inner, get: slow }, KEY, TASK_ID)).toBe(false);
  await inner.put(KEY, journalEntry("intent"), null);
  expect(await settleOutcome({ ...inner, get: slow }, KEY, null)).toBe(false);
});

test.each([
  [{}, KEY, null, "journal"],
  [memoryJournal(), "", null, "journalKey"],
  [memoryJournal(), KEY, "", "taskId"],
  [memoryJournal(), KEY, undefined, "taskId"],
  [memoryJournal(), KEY, "clip-1", "taskId"],
  [memoryJournal(), KEY, ` ${TASK_ID}`, "taskId"],
])("settleOutcome refuses an invalid argument by name", async (journal, key, taskId, option) => {
  const settling = settleOutcome(journal as never, key, taskId as never);
  expect((await rejection(settling, InvalidOptionError)).option).toBe(option);
});

test("a broken response that names its task is recorded, and the next run waits for that task", async () => {
  const broken = () => Response.json({ code: 202, data: { task_id: TASK_ID } }, { status: 202 });
  const world = journaledWorld(inTurn(broken, done));
  expect((await rejection(world.run(), InvalidResponseError)).taskId).toBe(TASK_ID);
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(1);

  const cut = () => new Response(`{"code":202,"data":{"task_id":"${TASK_ID}","ty`, { status: 202 });
  const other = journaledWorld(inTurn(cut, done));
  expect((await rejection(other.run(), SubmissionOutcomeUnknownError)).taskId).toBe(TASK_ID);
  await expect(other.run()).resolves.toEqual(succeeded());
});

test("a second run in the same process waits for the first one, however long that takes", async () => {
  const inner = memoryJournal();
  const world = journaledWorld(serve, {
    ...inner,
    async put(key, entry, previous) {
      if (entry.state === "submitted") await world.clock.sleep(600_000);
      return inner.put(key, entry, previous);
    },
  });
  await expect(Promise.all([world.run(), world.run()])).resolves.toEqual([succeeded(), succeeded()]);
  expect(posts(world)).toHaveLength(1);
});

test("of two runs in one process, the second one sends its POST when the first is refused", async () => {
  const world = journaledWorld(inTurn(refusal(402, "insufficient_credits"), accepted, done));
  const [first, second] = await Promise.allSettled([world.run(), world.run()]);
  expect(first.status).toBe("rejected");
  expect(second).toEqual({ status: "fulfilled", value: succeeded() });
});

test.each([
  ["success", () => ok(succeeded())],
  ["failure", () => ok(failed())],
  ["timeout", () => ok(failed({ status: "timeout" }))],
] as const)(
  "a task that ends in %s closes its key, and a later run reads the task once",
  async (status, ended) => {
    const journal = memoryJournal();
    const world = journaledWorld(inTurn(submit, ended), journal);
    const results = await Promise.allSettled([world.run()]);
    expect(await journal.get(KEY)).toMatchObject({ state: "submitted", status });
    expect(await journal.open()).toEqual([]);
    const before = world.requests.length;
    expect(await Promise.allSettled([world.run()])).toMatchObject(
      results.map((each) => ({ status: each.status })),
    );
    expect(world.requests.length - before).toBe(1);
  },
);

test("a run that is aborted in the queue neither blocks later runs nor lets them overtake the first", async () => {
  const inner = memoryJournal();
  let reads = 0;
  const get: Journal["get"] = (key) => {
    reads++;
    return inner.get(key);
  };
  const { hold, answerPost } = heldPost();
  const { run, requests } = journaledWorld(hold, { ...inner, get });
  const [controller, { signal }] = [new AbortController(), new AbortController()];
  const [first, second, third] = [run(), run({ signal: controller.signal }), run({ signal })];
  await turns(20);
  controller.abort("left");
  await expect(second).rejects.toBe("left");
  await turns(20);
  expect(reads).toBe(1);
  answerPost(accepted());
  await expect(Promise.all([first, third])).resolves.toEqual([succeeded(), succeeded()]);
  expect(posts({ requests })).toHaveLength(1);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a run waits up to two seconds for another process's intent to become a task, and shares the task", async () => {
  const clock = createTestClock();
  const journal = memoryJournal();
  const { client, requests } = createWorld(done, { clock });
  await journal.put(KEY, journalEntry("intent"), null);
  void clock.sleep(1500).then(() => journal.put(KEY, journalEntry("submitted"), "revision-intent"));
  await expect(client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY })).resolves.toEqual(succeeded());
  expect(requests.map(({ method }) => method)).toEqual(["GET"]);
});

test("another process's intent that stays one is an unknown outcome after two seconds", async () => {
  const world = journaledWorld(serve);
  await world.journal.put(KEY, journalEntry("intent"), null);
  const error = await rejection(world.run(), SubmissionOutcomeUnknownError);
  expect(error).toMatchObject({ request: SONG_REQUEST, requestId: "request-1", status: null });
  expect(world.clock.elapsed()).toBe(2000);
  expect(world.requests).toEqual([]);
});

test("a POST of another process may be in flight for two minutes: only then the error advises to settle the key", async () => {
  const world = journaledWorld(serve);
  const at = new Date(world.clock.now()).toISOString();
  const checkAgainAt = new Date(world.clock.now() + 120_000);
  await world.journal.put(KEY, journalEntry("intent", { at, tasks_created: 7 }), null);
  const early = await rejection(world.run({ probe: true }), SubmissionOutcomeUnknownError);
  expect(early).toMatchObject({ checkAgainAt, requestId: "request-1", journalKey: KEY });
  expect(early.message).toContain(`run again with the same key at ${checkAgainAt.toISOString()} or later`);
  expect(early.message).not.toMatch(/settleOutcome|probably not created/);
  expect(early.message).not.toMatch(BADLY_JOINED);
  expect(JSON.parse(JSON.stringify(early))).toMatchObject({ checkAgainAt: checkAgainAt.toISOString() });

  await world.clock.sleep(118_000);
  const late = await rejection(world.run(), SubmissionOutcomeUnknownError);
  expect([late.checkAgainAt, late.message]).toEqual([null, expect.stringContaining("settleOutcome")]);
});

test.each<[string, Pick<ClientOptions, "timeoutMs">, Pick<RunOptions, "timeoutMs">]>([
  ["the run", {}, { timeoutMs: 45_000 }],
  ["the client", { timeoutMs: 45_000 }, {}],
  ["the run, not of the client", { timeoutMs: 60_000 }, { timeoutMs: 45_000 }],
])(
  "the intent and the task have the `timeoutMs` of %s, also after a settlement",
  async (_, ofClient, ofRun) => {
    const journal = memoryJournal();
    const seen: unknown[] = [];
    const look = async () => seen.push((await journal.get(KEY))?.timeout_ms);
    const { client } = createWorld(
      async () => {
        await look();
        return lost();
      },
      { clock: createTestClock(), ...ofClient },
    );
    const run = client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY, ...ofRun });
    await rejection(run, SubmissionOutcomeUnknownError);
    for (const taskId of [TASK_ID, null]) {
      await settleOutcome(journal, KEY, taskId);
      await look();
    }
    expect(seen).toEqual([45_000, 45_000, 45_000]);
  },
);

/** How long a POST may be in flight, by the `timeoutMs` of the run that sent it, and of the run that reads its intent. */
const IN_FLIGHT = [
  [300_000, 30_000, 390_000],
  [300_000, 1, 390_000],
  [45_000, 300_000, 135_000],
  [30_001, 30_000, 120_001],
  [30_000, 300_000, 120_000],
  [1, 300_000, 120_000],
  // An older version has written the intent: its run is assumed to have the same `timeoutMs`.
  [undefined, 30_000, 120_000],
  [undefined, 300_000, 390_000],
] as const;

describe.each(["of the run", "of the client"])("if the `timeoutMs` %s that reads", (whose) => {
  test.each(
    IN_FLIGHT.flatMap(([sent, reads, ms]) => [-1, 0, 1].map((late) => [sent, reads, ms, late] as const)),
  )(
    "an intent with `timeout_ms` %s is %s, its POST may be in flight for %s ms (%s ms later)",
    async (sent, timeoutMs, ms, late) => {
      const ofRun = whose === "of the run";
      const clock = createTestClock();
      const { client } = createWorld(serve, { clock, ...(!ofRun && { timeoutMs }) });
      const journal = memoryJournal();
      const until = new Date(clock.now() + ms);
      const at = new Date(clock.now()).toISOString();
      const limit = sent === undefined ? {} : { timeout_ms: sent };
      await journal.put(KEY, journalEntry("intent", { at, ...limit }), null);
      const options = { journal, journalKey: KEY, ...(ofRun && { timeoutMs }) };
      // The run waits two seconds for another process.
      await clock.sleep(ms + late - 2000);
      const error = await rejection(client.tasks.run(SONG_REQUEST, options), SubmissionOutcomeUnknownError);
      expect(error.checkAgainAt).toEqual(late < 0 ? until : null);
    },
  );
});

test("a POST of this process that has ended is not in flight, and the error advises to settle the key at once", async () => {
  const world = journaledWorld(lost);
  for (let run = 0; run < 2; run++) {
    const error = await rejection(world.run(), SubmissionOutcomeUnknownError);
    expect([error.checkAgainAt, error.message]).toEqual([null, expect.stringContaining("settleOutcome")]);
  }
  // A copy of the journal stands for another process.
  const other = journaledWorld(lost, { ...world.journal });
  const foreign = await rejection(other.run(), SubmissionOutcomeUnknownError);
  expect(foreign.checkAgainAt).toBeInstanceOf(Date);
});

test("the two seconds start again when a third process's intent replaces the other", async () => {
  const world = journaledWorld(done);
  const { clock, journal, run } = world;
  const third = { revision: "revision-third" };
  await journal.put(KEY, journalEntry("intent"), null);
  void clock.sleep(1500).then(() => journal.put(KEY, journalEntry("intent", third), "revision-intent"));
  void clock.sleep(3000).then(() => journal.put(KEY, journalEntry("submitted"), third.revision));
  await expect(run()).resolves.toEqual(succeeded());
  expect(posts(world)).toEqual([]);
});

test("a run sends its POST when another process withdraws its intent", async () => {
  const world = journaledWorld(serve);
  await world.journal.put(KEY, journalEntry("intent"), null);
  void world.clock.sleep(600).then(() => world.journal.delete(KEY, "revision-intent"));
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(1);
});

test("of many processes that start at once, one posts", async () => {
  const shared = memoryJournal();
  const worlds = Array.from({ length: 5 }, () => journaledWorld(serve, { ...shared }));
  const songs = await Promise.all(worlds.map(({ run }) => run()));
  expect(songs).toEqual(worlds.map(() => succeeded()));
  expect(worlds.flatMap(posts)).toHaveLength(1);
});

test.each([
  [{ journal: memoryJournal() }, "`journal` needs `journalKey`."],
  [{ journalKey: KEY }, "`journalKey` needs `journal`."],
  [{ probe: true }, "`probe` needs `journal`."],
  [{ journal: memoryJournal(), journalKey: "" }, "a string that is not empty; got a string of length 0."],
])("a journal option without the other one it needs says which (%#)", async (options, message) => {
  const { client } = createWorld(serve);
  const error = await rejection(client.tasks.run(SONG_REQUEST, options), InvalidOptionError);
  expect(error.message).toContain(message);
});

test.each([
  ["journalKey", { journal: memoryJournal() }],
  ["journal", { journalKey: KEY }],
  ["journalKey", { journal: memoryJournal(), journalKey: "" }],
  ["journalKey", { journal: memoryJournal(), journalKey: 7 }],
  ["journalKey", { journal: memoryJournal(), journalKey: `order of ${API_KEY}` }],
  ["journal", { journal: {}, journalKey: KEY }],
  ["journal", { journal: null, journalKey: KEY }],
  ["journal", { journal: { ...memoryJournal(), get: undefined }, journalKey: KEY }],
  ["journal", { journal: { ...memoryJournal(), put: undefined }, journalKey: KEY }],
  ["journal", { journal: { ...memoryJournal(), delete: undefined }, journalKey: KEY }],
  ["probe", { journal: memoryJournal(), journalKey: KEY, probe: 1 }],
  ["probe", { probe: true }],
  ["onUnrecorded", { journal: memoryJournal(), journalKey: KEY, onUnrecorded: 1 }],
])("an invalid %s is refused before anything is sent", async (option, options) => {
  const { client, requests } = createWorld(serve);
  const error = await rejection(client.tasks.run(SONG_REQUEST, options as never), InvalidOptionError);
  expect(error.option).toBe(option);
  expect(error.message).not.toContain(API_KEY);
  expect(requests).toEqual([]);
});

test.each(["k", "key", "1", "task"])(
  "with the short API key %j, a run is recorded and resumed unchanged",
  async (apiKey) => {
    const world = createWorld(serve, { apiKey });
    const options = { journal: memoryJournal(), journalKey: `${apiKey} 1` };
    for (const _ of [1, 2]) {
      await expect(world.client.tasks.run(SONG_REQUEST, options)).resolves.toEqual(succeeded());
    }
    expect(posts(world)).toHaveLength(1);
    expect(world.requests.at(-1)?.path).toBe(`/api/v1/task/${TASK_ID}`);
  },
);

test("an entry never contains the API key", async () => {
  const { client } = createWorld(({ method }) =>
    method === "POST" ? accepted({ note: `for ${API_KEY}` }) : done(),
  );
  const journal = memoryJournal();
  const request = { ...SONG_REQUEST, input: { gpt_description_prompt: `a song about ${API_KEY}` } };
  await client.tasks.run(request, { journal, journalKey: KEY, requestId: API_KEY });
  expect(JSON.stringify(await journal.get(KEY))).not.toContain(API_KEY);
  await client.tasks.run(request, { journal, journalKey: KEY });
});

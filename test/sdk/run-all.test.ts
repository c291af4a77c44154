import {
  AsyncMusicError,
  CreditCeilingError,
  InsufficientCreditsError,
  InvalidOptionError,
  InvalidRequestError,
  type Journal,
  JournalConflictError,
  JournalError,
  memoryJournal,
  type PacedRequest,
  RateLimitedError,
  type RunAllOptions,
  type RunAllProgress,
  SubmissionOutcomeUnknownError,
  settleOutcome,
  TaskFailedError,
  type TaskRequest,
  type TaskSubmission,
} from "async-music";
import { expect, test } from "vitest";
import { abortedAfter } from "../support/abort.js";
import {
  accepted,
  balance,
  failed,
  limited,
  ok,
  refusal,
  serve,
  succeeded,
  TASK_ID,
  task,
} from "../support/answers.js";
import { all, recorder } from "../support/collect.js";
import { journalEntry, posts } from "../support/journals.js";
import { createRateLimit } from "../support/limited-service.js";
import { createOwnPacer } from "../support/own-pacer.js";
import { rejection } from "../support/rejection.js";
import { START, turns } from "../support/test-clock.js";
import { createWorld, inTurn, type SeenRequest } from "../support/world.js";

const song = (name: string) =>
  ({ model: "provider_a", task_type: "music", input: { gpt_description_prompt: name } }) as const;
const songs = (...names: string[]) => names.map(song);
const many = (count: number) => Array.from({ length: count }, (_, index) => song(String(index)));

/** A service whose tasks take as many seconds as their prompt says, and fail or are refused where it says so. */
function batchWorld() {
  const prompts: string[] = [];
  const createdAt: number[] = [];
  const world = createWorld((request) => {
    if (request.method === "POST") return create(request);
    const index = Number(request.path.split("-").at(-1));
    return read(index, request.at);
  });

  function create({ body, at }: SeenRequest): Response | Promise<Response> {
    const prompt = JSON.parse(body).input.gpt_description_prompt;
    if (prompt === "poor") return refusal(402, "insufficient_credits");
    if (prompt === "redirected") return new Response(null, { status: 302, headers: { Location: "/" } });
    if (prompt === "lost") return Promise.reject(new TypeError("fetch failed"));
    prompts.push(prompt);
    createdAt.push(at);
    return accepted({ task_id: `task-${prompts.length - 1}` });
  }
  function read(index: number, at: number): Response {
    const task_id = `task-${index}`;
    const prompt = prompts[index] ?? "";
    const seconds = Number.parseFloat(prompt) || 0;
    if (at < (createdAt[index] ?? 0) + seconds * 1000) return ok(task({ task_id }));
    if (prompt.endsWith("times out")) return ok(failed({ task_id, status: "timeout" }));
    return prompt.endsWith("fails") ? ok(failed({ task_id })) : ok(succeeded({ task_id }));
  }
  return { ...world, prompts };
}

/** The journal keys of a batch. */
const journalKey = (_: unknown, index: number) => `song-${index}`;

/** The class of each result's error. */
const errorsOf = (results: { error?: unknown }[]) =>
  results.map(({ error }) => (error instanceof Error ? error.constructor : error));

test("results arrive as tasks end, each with its request and index", async () => {
  const { client } = batchWorld();
  const requests = songs("60", "10", "30");
  const seen = await all(client.tasks.runAll(requests));
  expect(seen.map(({ index }) => index)).toEqual([1, 2, 0]);
  expect(seen.map(({ request }) => request)).toEqual([requests[1], requests[2], requests[0]]);
  expect(seen.map((result) => result.task?.task_id)).toEqual(["task-1", "task-2", "task-0"]);
});

test("one failure never stops the rest, whatever it is", async () => {
  const { client } = batchWorld();
  const invalid = { model: "provider_a", task_type: "lyrics", input: { prompt: " " } } as const;
  const requests: TaskRequest[] = [...songs("poor", "lost", "5 fails"), invalid, song("5")];
  const seen = await all(client.tasks.runAll(requests, { concurrency: 2 }));
  expect(errorsOf(seen.sort((one, other) => one.index - other.index))).toEqual([
    InsufficientCreditsError,
    SubmissionOutcomeUnknownError,
    TaskFailedError,
    InvalidRequestError,
    undefined,
  ]);
});

test("at most `concurrency` tasks run at once, and that many do", async () => {
  const { client, requests } = batchWorld();
  const open = new Set<number>();
  let most = 0;
  const onSubmitted = (_: unknown, index: number) => {
    open.add(index);
    most = Math.max(most, open.size);
  };
  for await (const { index } of client.tasks.runAll(many(25), { concurrency: 4, onSubmitted })) {
    open.delete(index);
  }
  expect(most).toBe(4);
  expect(posts({ requests })).toHaveLength(25);
});

test("ten tasks run at once by default", async () => {
  const world = batchWorld();
  const results = world.client.tasks.runAll(songs(...Array(30).fill("60")))[Symbol.asyncIterator]();
  void results.next();
  await world.clock.sleep(3000);
  expect(posts(world)).toHaveLength(10);
  await results.return?.();
});

test("a slow reader delays new submissions, so that results do not pile up", async () => {
  const world = batchWorld();
  let read = 0;
  for await (const _ of world.client.tasks.runAll(many(12), { concurrency: 3 })) {
    read++;
    await world.clock.sleep(3_600_000);
    expect(posts(world).length).toBeLessThanOrEqual(read + 3);
  }
  expect(read).toBe(12);
});

test("requests may come from any iterable, and are read only when a task can start", async () => {
  const world = batchWorld();
  let asked = 0;
  async function* source() {
    for (const request of many(9)) {
      asked++;
      await world.clock.sleep(1000);
      yield request;
    }
  }
  for await (const { index } of world.client.tasks.runAll(source(), { concurrency: 2 })) {
    expect(asked).toBeLessThanOrEqual(index + 4);
  }
  expect(posts(world)).toHaveLength(9);
  expect(await all(world.client.tasks.runAll(new Set(many(3))))).toHaveLength(3);
  expect(await all(world.client.tasks.runAll([]))).toEqual([]);
});

test("a result does not wait for a slow source", async () => {
  const world = batchWorld();
  async function* source() {
    yield song("10");
    await world.clock.sleep(600_000);
    yield song("11");
  }
  for await (const { index } of world.client.tasks.runAll(source())) {
    if (index === 0) expect(world.clock.elapsed()).toBeLessThan(60_000);
  }
});

test("a source that throws ends the batch after the results of the tasks that were started", async () => {
  const { client } = batchWorld();
  const reason = new Error("no more");
  function* source() {
    yield song("10");
    yield song("20");
    throw reason;
  }
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { index } of client.tasks.runAll(source())) seen.push(index);
  })();
  await expect(reading).rejects.toBe(reason);
  expect(seen).toEqual([0, 1]);
});

test("leaving the loop ends the polling, submits nothing more and closes the source", async () => {
  const world = batchWorld();
  let isLeft = false;
  function* source() {
    try {
      for (;;) yield song("30");
    } finally {
      isLeft = true;
    }
  }
  for await (const _ of world.client.tasks.runAll(source(), { concurrency: 5 })) break;
  await turns(5);
  const sent = world.requests.length;
  await world.clock.sleep(600_000);
  expect(world.requests).toHaveLength(sent);
  expect(isLeft).toBe(true);
});

test("an abort rejects with the signal's reason at once, and submits nothing more", async () => {
  const world = batchWorld();
  const signal = abortedAfter(world.clock, 20_000, "stop");
  const reading = all(world.client.tasks.runAll(many(50), { concurrency: 2, signal, pollIntervalMs: 1000 }));
  await expect(reading).rejects.toBe("stop");
  const sent = world.requests.length;
  await world.clock.sleep(600_000);
  expect(world.requests).toHaveLength(sent);
  await expect(all(world.client.tasks.runAll(many(2), { signal: AbortSignal.abort("before") }))).rejects.toBe(
    "before",
  );
  expect(world.requests).toHaveLength(sent);
});

test("nothing is sent before iteration, and a second iteration is an error", async () => {
  const world = batchWorld();
  const results = world.client.tasks.runAll(many(3));
  await turns(5);
  expect(world.requests).toEqual([]);
  expect(await all(results)).toHaveLength(3);
  const error = await rejection(all(results), AsyncMusicError);
  expect(error.message).toMatch(/was already iterated.*call `runAll` again/);
  expect(posts(world)).toHaveLength(3);
});

test("requests that exceed maxCredits are refused before they are sent, and the others are sent", async () => {
  const world = batchWorld();
  const cheap = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } } as const;
  const requests: TaskRequest[] = [...songs("5", "5", "5"), cheap];
  const seen = await all(world.client.tasks.runAll(requests, { maxCredits: 25, concurrency: 4 }));
  const refused = seen.filter(({ error }) => error instanceof CreditCeilingError);
  expect(refused.map(({ index }) => index)).toEqual([2]);
  expect(refused[0]?.error).toMatchObject({ credits: 10, spentCredits: 20, maxCredits: 25 });
  expect(posts(world)).toHaveLength(3);
});

test("a request without a known price does not disable maxCredits for later requests", async () => {
  const world = batchWorld();
  const nonsense = { model: "__proto__", task_type: "toString", input: {} } as unknown as TaskRequest;
  const requests = [nonsense, ...songs("5", "5")];
  const seen = await all(world.client.tasks.runAll(requests, { maxCredits: 10, concurrency: 1 }));
  expect(errorsOf(seen)).toEqual([InvalidRequestError, undefined, CreditCeilingError]);
});

test.each([
  ["failed", "1 fails", true],
  ["timed out", "1 times out", true],
  ["was refused for lack of credits", "poor", true],
  ["is still running after maxWaitMs", "3600", false],
  ["has an unknown outcome", "lost", false],
  ["may exist after a redirect", "redirected", false],
])("maxCredits: whether the credits of a task that %s are free again", async (_, first, isFree) => {
  const { client } = batchWorld();
  const options = { maxCredits: 10, concurrency: 1, maxWaitMs: 60_000 };
  const seen = await all(client.tasks.runAll(songs(first, "5"), options));
  expect(seen[0]?.error).toBeDefined();
  expect(seen[1]?.error instanceof CreditCeilingError).toBe(!isFree);
});

test("a task that the journal already holds counts towards maxCredits, and is never refused", async () => {
  const world = batchWorld();
  const journal = memoryJournal();
  const options = { journal, journalKey, concurrency: 1 };
  const requests = songs("5", "5", "5", "5");
  await all(world.client.tasks.runAll(requests.slice(0, 3), options));
  expect(posts(world)).toHaveLength(3);
  const seen = await all(world.client.tasks.runAll(requests, { ...options, maxCredits: 10 }));
  expect(errorsOf(seen)).toEqual([undefined, undefined, undefined, CreditCeilingError]);
  expect(posts(world)).toHaveLength(3);
});

test("a continued batch keeps maxCredits: a refused request does not take what later ones have spent", async () => {
  const world = batchWorld();
  const options = { journal: memoryJournal(), journalKey, concurrency: 1, maxCredits: 20 };
  const requests = songs("poor", "5", "6");
  const first = await all(world.client.tasks.runAll(requests, options));
  expect(errorsOf(first)).toEqual([InsufficientCreditsError, undefined, undefined]);
  const second = await all(world.client.tasks.runAll(requests, options));
  expect(errorsOf(second)).toEqual([CreditCeilingError, undefined, undefined]);
  expect(second[0]?.error).toMatchObject({ credits: 10, spentCredits: 20, maxCredits: 20 });
  expect(posts(world)).toHaveLength(3);
});

test.each<[what: string, as: (requests: TaskRequest[]) => Iterable<TaskRequest>]>([
  ["an array", (requests) => requests],
  ["another iterable", (requests) => requests.values()],
])(
  "new requests of %s do not pass maxCredits while the journal is still reading existing tasks",
  async (...row) => {
    const [, as] = row;
    const world = batchWorld();
    const journal = memoryJournal();
    const options = { journal, journalKey, concurrency: 4 };
    const requests = songs("5", "5", "5", "5", "5");
    await all(world.client.tasks.runAll(requests.slice(0, 3), options));
    const slow: Journal = {
      ...journal,
      async get(key) {
        const entry = await journal.get(key);
        if (entry !== null) await turns(20);
        return entry;
      },
    };
    const continued = { ...options, journal: slow, maxCredits: 30, concurrency: 5 };
    const seen = await all(world.client.tasks.runAll(as(requests), continued));
    const refused = seen.filter(({ error }) => error instanceof CreditCeilingError);
    expect(refused.map(({ index }) => index)).toEqual([3, 4]);
    expect(posts(world)).toHaveLength(3);
  },
);

test("a request whose intent another process withdrew is submitted only if maxCredits allows it", async () => {
  for (const [maxCredits, paid] of [
    [0, 0],
    [15, 1],
    [20, 2],
  ] as const) {
    const world = batchWorld();
    const journal = memoryJournal();
    const requests = songs("5", "6");
    for (const [index, request] of requests.entries()) {
      const intent = journalEntry("intent", { request, revision: `other-${index}` });
      await journal.put(`song-${index}`, intent, null);
    }
    const get: Journal["get"] = async (key) => {
      const entry = await journal.get(key);
      if (entry?.state === "intent") await journal.delete(key, entry.revision);
      return entry;
    };
    const options = { journal: { ...journal, get }, journalKey, concurrency: 1, maxCredits };
    const seen = await all(world.client.tasks.runAll(requests, options));
    const errors = seen.filter(({ error }) => error !== undefined);
    expect(errorsOf(errors)).toEqual(Array(2 - paid).fill(CreditCeilingError));
    expect(posts(world)).toHaveLength(paid);
  }
});

test("maxCredits holds with a journal that returns undefined, and a journal that throws synchronously is a JournalError", async () => {
  const world = batchWorld();
  const kept = memoryJournal();
  const wordless = { ...kept, get: async (key: string) => (await kept.get(key)) ?? undefined };
  const options = { maxCredits: 10, journalKey, concurrency: 1 };
  const journal = wordless as unknown as typeof kept;
  const seen = await all(world.client.tasks.runAll(songs("5", "5"), { ...options, journal }));
  expect(errorsOf(seen)).toEqual([undefined, CreditCeilingError]);
  expect(posts(world)).toHaveLength(1);

  const get = () => {
    throw new Error("down");
  };
  const [down] = await all(world.client.tasks.runAll(songs("5"), { ...options, journal: { ...kept, get } }));
  expect(down?.error).toBeInstanceOf(JournalError);
});

test("journalKey is called once per request, with maxCredits too", async () => {
  const world = batchWorld();
  const journal = memoryJournal();
  let count = 0;
  const journalKey = () => `song-${count++}`;
  await all(
    world.client.tasks.runAll(songs("5", "5"), { journal, journalKey, maxCredits: 20, concurrency: 1 }),
  );
  expect(await journal.get("song-0")).toMatchObject({ state: "submitted" });
  expect(await journal.get("song-1")).toMatchObject({ state: "submitted" });
  expect(count).toBe(2);
});

test("the progress counts what is submitted, succeeded and failed", async () => {
  const { client } = batchWorld();
  const { seen: reports, note: onProgress } = recorder<RunAllProgress>();
  await all(client.tasks.runAll(songs("10", "20 fails", "poor"), { onProgress, concurrency: 1 }));
  expect(reports).toEqual([
    { total: 3, submitted: 1, succeeded: 0, failed: 0, waitingUntil: null },
    { total: 3, submitted: 1, succeeded: 1, failed: 0, waitingUntil: null },
    { total: 3, submitted: 2, succeeded: 1, failed: 0, waitingUntil: null },
    { total: 3, submitted: 2, succeeded: 1, failed: 1, waitingUntil: null },
    { total: 3, submitted: 2, succeeded: 1, failed: 2, waitingUntil: null },
  ]);
});

test("the progress counts a task as submitted whose response was broken but names it", async () => {
  const { client } = createWorld(() => accepted({ status: 7 }));
  const { seen: reports, note: onProgress } = recorder<RunAllProgress>();
  await all(client.tasks.runAll(songs("5"), { onProgress }));
  expect(reports).toMatchObject([{ submitted: 1, succeeded: 0, failed: 1 }]);
});

test.each([1, 3])(
  "requests with one key count once towards maxCredits, also in a continued batch (concurrency %i)",
  async (concurrency) => {
    const world = batchWorld();
    const journalKey = ({ input }: { input: { gpt_description_prompt: string } }) =>
      input.gpt_description_prompt;
    const options = { journal: memoryJournal(), journalKey, concurrency, maxCredits: 29 };
    const requests = songs("5", "5", "5", "6");
    for (const expected of [2, 2]) {
      const seen = await all(world.client.tasks.runAll(requests, options));
      expect(errorsOf(seen)).toEqual(Array(4).fill(undefined));
      expect(posts(world)).toHaveLength(expected);
    }
    const more = await all(world.client.tasks.runAll(songs("5", "5", "6", "7", "7"), options));
    const refused = more.filter(({ error }) => error instanceof CreditCeilingError);
    expect(refused.map(({ index, error }) => [index, Object(error).spentCredits])).toEqual([
      [3, 20],
      [4, 20],
    ]);
    expect(posts(world)).toHaveLength(2);
  },
);

test.each([
  ["was refused", "poor"],
  ["failed", "1 fails"],
  ["timed out", "1 times out"],
])("the credits of requests with one key whose task %s are free again, once", async (_, prompt) => {
  const world = batchWorld();
  const options = {
    ...{ journal: memoryJournal(), concurrency: 1, maxCredits: 10 },
    journalKey: ({ input }: { input: { gpt_description_prompt: string } }) => input.gpt_description_prompt,
  };
  for (const _batch of [1, 2]) {
    const seen = await all(world.client.tasks.runAll(songs(prompt, prompt, "5", prompt, "6"), options));
    expect(seen.map(({ task }) => task !== undefined)).toEqual([false, false, true, false, false]);
    expect(seen[4]?.error).toBeInstanceOf(CreditCeilingError);
  }
});

test("a second request with a key is sent only if its own price fits into maxCredits", async () => {
  const world = batchWorld();
  const journal = memoryJournal();
  const cheap = { model: "provider_b", task_type: "music", input: { prompt: "folk" } } as const;
  // The first one is refused, which frees the key for the dearer one.
  const refusing = createWorld(({ body }) =>
    body.includes("folk") ? refusal(402, "insufficient_credits") : accepted(),
  );
  const options = { journal, journalKey: () => "one", concurrency: 2, maxCredits: 9 };
  const results = await all(refusing.client.tasks.runAll<TaskRequest>([cheap, song("5")], options));
  expect(errorsOf(results)).toEqual([InsufficientCreditsError, CreditCeilingError]);
  expect(posts(refusing)).toHaveLength(1);

  // A task was created, and then its entry is deleted: the next request with the key creates another one.
  const losing: Journal = { ...journal, get: async () => null };
  const twice = { ...options, journal: losing, journalKey: () => "two", concurrency: 1, maxCredits: 15 };
  await journal.delete("one", (await journal.get("one"))?.revision ?? "");
  const remove: Journal["get"] = async (key) => {
    const entry = await journal.get(key);
    if (entry?.state === "submitted") await journal.delete(key, entry.revision);
    return null;
  };
  const seen = await all(
    world.client.tasks.runAll(songs("5", "5"), { ...twice, journal: { ...losing, get: remove } }),
  );
  expect(errorsOf(seen)).toEqual([undefined, CreditCeilingError]);
  expect(posts(world)).toHaveLength(1);
});

test("a freed key does not count towards maxCredits before its run is allowed", async () => {
  const { client } = createWorld(serve);
  const journal = memoryJournal();
  const dear = song("10");
  const cheap = { model: "provider_b", task_type: "music", input: { prompt: "folk" } } as const;
  await journal.put("song-0", journalEntry("intent", { request: dear, settled: true }), null);
  const options = { journal, journalKey, maxCredits: 5 };
  const results = await all(client.tasks.runAll<TaskRequest>([dear, cheap], options));
  expect(results.map(({ index, task }) => [index, task?.status]).sort()).toEqual([
    [0, undefined],
    [1, "success"],
  ]);
});

test("the progress counts a task as submitted if the journal holds only its id", async () => {
  const { client } = createWorld(() => ok(succeeded()));
  const journal = memoryJournal();
  await journal.put("song", journalEntry("intent", { request: song("5") }), null);
  await settleOutcome(journal, "song", TASK_ID);
  const { seen: reports, note: onProgress } = recorder<RunAllProgress>();
  const { seen: submitted, note: onSubmitted } = recorder<TaskSubmission>();
  const options = { onProgress, onSubmitted, journal, journalKey: () => "song" };
  await all(client.tasks.runAll(songs("5"), options));
  expect(submitted).toMatchObject([{ task_id: TASK_ID, status: "pending" }]);
  expect(reports).toMatchObject([
    { submitted: 1, succeeded: 0, failed: 0 },
    { submitted: 1, succeeded: 1, failed: 0 },
  ]);
});

test("a batch that is aborted with an error that names a task counts none of its own as submitted", async () => {
  const world = createWorld(() => limited(60));
  const reason = new AsyncMusicError("failed", { taskId: "task-of-another" });
  const signal = abortedAfter(world.clock, 30_000, reason);
  const { seen: reports, note: onProgress } = recorder<RunAllProgress>();
  const reading = all(world.client.tasks.runAll(many(2), { onProgress, signal }));
  await expect(reading).rejects.toBe(reason);
  await turns(5);
  expect(reports.at(-1)).toMatchObject({ total: 2, submitted: 0, succeeded: 0, failed: 2 });
});

test("a batch whose submissions wait for the rate limit reports `waitingUntil` in each window", async () => {
  const limit = createRateLimit({ requests: 20 });
  let created = 0;
  const { client, clock, requests } = createWorld((request) =>
    limit.count(request, () =>
      request.method === "POST" ? accepted({ task_id: `task-${created++}` }) : readTask(request),
    ),
  );
  const readTask = ({ path }: SeenRequest) => ok(task({ task_id: path.split("/").at(-1) }));
  const reports: { at: number; until: number | null; submitted: number }[] = [];
  const onProgress = ({ waitingUntil, submitted }: RunAllProgress) => {
    const until = waitingUntil === null ? null : waitingUntil.getTime() - START;
    reports.push({ at: clock.elapsed(), until, submitted });
  };
  const results = client.tasks.runAll(many(50), { concurrency: 50, onProgress })[Symbol.asyncIterator]();
  void results.next();
  while (created < 50) await clock.sleep(1000);
  await turns(5);

  const delays = reports.filter(({ until }) => until !== null);
  const windows = new Set(delays.map(({ until }) => Math.round((until ?? 0) / 60_000)));
  expect([...windows].slice(0, 2)).toEqual([1, 2]);
  for (const { at, until } of delays) expect(until).toBeGreaterThan(at);
  expect(reports.at(-1)).toMatchObject({ submitted: 50, until: null });
  expect(requests.filter(({ at, method }) => method === "POST" && at < 59_000).length).toBeLessThan(50);
  await results.return?.();
});

test("a batch that starts while the rate limit is used up reports `waitingUntil` at once", async () => {
  const limit = createRateLimit({ requests: 20 });
  let created = 0;
  const { client, clock } = createWorld((request) =>
    limit.count(request, () => {
      if (request.path.endsWith("balance")) return balance();
      if (request.method === "POST") return accepted({ task_id: `task-${created++}` });
      return ok(succeeded({ task_id: request.path.split("/").at(-1) }));
    }),
  );
  for (let sent = 0; sent < 20; sent++) await client.account.balance();
  const batch = async () => {
    const reports: [at: number, until: number, submitted: number][] = [];
    const onProgress = ({ waitingUntil, submitted }: RunAllProgress) =>
      void reports.push([clock.elapsed(), (waitingUntil?.getTime() ?? START) - START, submitted]);
    await all(client.tasks.runAll(songs("5"), { onProgress }));
    return reports;
  };
  for (const reports of await Promise.all([batch(), batch()])) {
    expect(reports[0]).toEqual([0, 60_000, 0]);
    expect(reports[1]).toEqual([60_000, 0, 1]);
  }
});

test("`waitingUntil` is null again after a submission that was sent earlier than expected", async () => {
  const { pacer } = createOwnPacer();
  const { client, clock } = createWorld(serve, { pacer: { ...pacer, admit } });
  async function admit({ onDelayed }: PacedRequest): Promise<boolean> {
    onDelayed?.(START + 600_000);
    await clock.sleep(2000);
    return true;
  }
  const reports: [until: number | undefined, submitted: number][] = [];
  const onProgress = ({ waitingUntil, submitted }: RunAllProgress) =>
    void reports.push([waitingUntil?.getTime(), submitted]);
  await all(client.tasks.runAll(songs("5"), { onProgress }));
  expect(reports.slice(0, 2)).toEqual([
    [START + 600_000, 0],
    [undefined, 1],
  ]);
});

test("`waitingUntil` is null again after a submission that failed while it was delayed", async () => {
  const { pacer } = createOwnPacer();
  const admit = async ({ onDelayed }: PacedRequest): Promise<boolean> => {
    onDelayed?.(START + 600_000);
    throw new Error("the pacer is away");
  };
  const { client } = createWorld(() => accepted(), { pacer: { ...pacer, admit } });
  const { seen: reports, note: onProgress } = recorder<RunAllProgress>();
  await all(client.tasks.runAll(songs("5"), { onProgress }));
  expect(reports).toMatchObject([
    { waitingUntil: new Date(START + 600_000) },
    { failed: 1, waitingUntil: null },
  ]);
});

test("a batch that a 429 pauses reports `waitingUntil`, also when everything is submitted", async () => {
  const { client, clock } = createWorld(inTurn(accepted(), limited(30), ok(succeeded())));
  const reports: [at: number, until: Date | null, succeeded: number][] = [];
  const onProgress = ({ waitingUntil, succeeded }: RunAllProgress) =>
    void reports.push([clock.elapsed(), waitingUntil, succeeded]);
  await all(client.tasks.runAll(songs("5"), { onProgress }));
  const [, paused] = reports;
  expect(paused?.[1]?.getTime()).toBe(START + (paused?.[0] ?? 0) + 30_000);
  expect(reports.map(([, until, succeeded]) => [until !== null, succeeded])).toEqual([
    [false, 0],
    [true, 0],
    [false, 1],
  ]);
});

test("a batch that has ended no longer reports pauses", async () => {
  let isLimited = false;
  const { client } = createWorld(({ method }) => {
    if (method === "POST") return accepted();
    return isLimited ? limited(30) : ok(succeeded());
  });
  const { seen: reports, note: onProgress } = recorder<RunAllProgress>();
  await all(client.tasks.runAll(songs("5"), { onProgress }));
  for await (const _ of client.tasks.runAll(songs("5", "5"), { onProgress })) break;
  await turns(5);
  const count = reports.length;
  isLimited = true;
  await rejection(client.tasks.retrieve(TASK_ID, { maxRetries: 0 }), RateLimitedError);
  expect(reports).toHaveLength(count);
});

test.each(["throws", "rejects"])("an onProgress that %s is reported after the last result", async (how) => {
  const { client } = batchWorld();
  const cause = new Error("no terminal");
  const onProgress = () => {
    if (how === "rejects") return Promise.reject(cause);
    throw cause;
  };
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { index } of client.tasks.runAll(many(3), { onProgress })) seen.push(index);
  })();
  expect((await rejection(reading, AsyncMusicError)).cause).toBe(cause);
  expect(seen.sort()).toEqual([0, 1, 2]);
});

test("with a journal, a batch resumes where it was left, without duplicate charges", async () => {
  const world = batchWorld();
  const options = { journal: memoryJournal(), journalKey };
  for await (const _ of world.client.tasks.runAll(many(6), { ...options, concurrency: 2 })) break;
  const seen = await all(world.client.tasks.runAll(many(6), options));
  expect(seen.map(({ error }) => error)).toEqual(Array(6).fill(undefined));
  const bodies = posts(world).map(({ body }) => body);
  expect(new Set(bodies).size).toBe(bodies.length);
});

test.each([
  ["the loop is left", "return", "with a journal"],
  ["the loop is left", "return", "without a journal"],
  ["the batch is aborted", "abort", "with a journal"],
])("a POST in flight when %s (%s) reports its task, and nothing more is sent: %s", async (_, how, where) => {
  const journal = memoryJournal();
  const answers: (() => void)[] = [];
  const world = createWorld(
    () => new Promise<Response>((resolve) => answers.push(() => resolve(accepted({ task_id: "task-0" })))),
  );
  const submitted: [string, number][] = [];
  const onSubmitted = ({ task_id }: TaskSubmission, index: number) => void submitted.push([task_id, index]);
  const controller = new AbortController();
  const options = { onSubmitted, concurrency: 1, signal: controller.signal };
  const keyed = where === "with a journal" ? { journal, journalKey } : {};
  const results = world.client.tasks.runAll(many(3), { ...options, ...keyed })[Symbol.asyncIterator]();
  const pending = results.next().catch((reason: unknown) => reason);
  while (answers.length === 0) await turns(1);
  const stateOf = async (key: string) => (await journal.get(key))?.state;
  const recorded = where === "with a journal" ? ["intent", "submitted"] : [undefined, undefined];

  if (how === "return") await results.return?.();
  else controller.abort("stop");
  expect(await pending).toEqual(how === "return" ? { done: true, value: undefined } : "stop");
  expect(await stateOf("song-0")).toBe(recorded[0]);
  answers[0]?.();
  await turns(5);
  expect(submitted).toEqual([["task-0", 0]]);
  expect([await stateOf("song-0"), await stateOf("song-1")]).toEqual([recorded[1], undefined]);
  await world.clock.sleep(600_000);
  expect(world.requests).toHaveLength(1);
});

test("leaving a batch while its journal writes sends nothing and frees the key", async () => {
  const world = batchWorld();
  const kept = memoryJournal();
  const written: (() => void)[] = [];
  const put: Journal["put"] = async (...entry) => {
    const isKept = await kept.put(...entry);
    await new Promise<void>((resolve) => written.push(resolve));
    return isKept;
  };
  const options = { journal: { ...kept, put }, journalKey: () => "song" };
  const results = world.client.tasks.runAll(many(1), options)[Symbol.asyncIterator]();
  const pending = results.next();
  while (written.length === 0) await turns(1);

  await results.return?.();
  await pending;
  written[0]?.();
  await turns(5);
  expect(posts(world)).toEqual([]);
  expect(await kept.get("song")).toBeNull();
});

test("leaving a batch with a rate-limited POST does not send it again, and frees the key", async () => {
  const journal = memoryJournal();
  const world = createWorld(() => limited(60));
  const options = { journal, journalKey: () => "song", signal: AbortSignal.timeout(2 ** 31 - 1) };
  const results = world.client.tasks.runAll(many(1), options)[Symbol.asyncIterator]();
  const pending = results.next();
  void world.clock.sleep(30_000).then(() => results.return?.());
  await pending;
  await world.clock.sleep(600_000);
  expect(world.requests).toHaveLength(1);
  expect(await journal.get("song")).toBeNull();
});

test("equal requests with one key are one task, and different requests are a conflict", async () => {
  const world = batchWorld();
  const options = { journal: memoryJournal(), journalKey: () => "the same" };
  const seen = await all(world.client.tasks.runAll(songs("5", "5", "6"), options));
  expect(posts(world)).toHaveLength(1);
  expect(seen.find(({ index }) => index === 1)?.task?.task_id).toBe("task-0");
  expect(seen.find(({ index }) => index === 2)?.error).toBeInstanceOf(JournalConflictError);
});

test("a journalKey that throws fails only its own request", async () => {
  const world = batchWorld();
  const cause = new Error("no name");
  const journalKey = ({ input }: { input: { gpt_description_prompt: string } }) => {
    if (input.gpt_description_prompt === "6") throw cause;
    return input.gpt_description_prompt === "7" ? "" : "key";
  };
  const seen = await all(
    world.client.tasks.runAll(songs("5", "6", "7"), { journal: memoryJournal(), journalKey }),
  );
  expect(seen.find(({ index }) => index === 1)?.error).toMatchObject({ cause });
  expect(seen.find(({ index }) => index === 2)?.error).toBeInstanceOf(InvalidOptionError);
  expect(posts(world)).toHaveLength(1);
});

test.each<[string, RunAllOptions]>([
  ["concurrency", { concurrency: 0 }],
  ["concurrency", { concurrency: 1.5 }],
  ["maxCredits", { maxCredits: -1 }],
  ["maxCredits", { maxCredits: Number.NaN }],
  ["onProgress", { onProgress: 1 as never }],
  ["journalKey", { journal: memoryJournal() }],
  ["journalKey", { journal: memoryJournal(), journalKey: "key" as never }],
  ["journal", { journalKey: () => "key" }],
  ["pollIntervalMs", { pollIntervalMs: 10 }],
  ["onUpdate", { onUpdate: 1 as never }],
  ["requestId", { requestId: "one for all" } as never],
  ["concurency", { concurency: 3 } as never],
])("an invalid %s is refused at once", (option, options) => {
  const { client } = batchWorld();
  expect(() => client.tasks.runAll(many(1), options)).toThrow(expect.objectContaining({ option }));
});

test("requests that are not iterable are refused at once", () => {
  const { client } = batchWorld();
  expect(() => client.tasks.runAll(song("1") as never)).toThrow(InvalidOptionError);
});

test("hundreds of results under the rate limit leave nothing behind", async () => {
  const world = batchWorld();
  let count = 0;
  for await (const { task } of world.client.tasks.runAll(many(300), { concurrency: 100 })) {
    if (task !== undefined) count++;
  }
  expect(count).toBe(300);
  const sleeps = world.clock.sleeps.length;
  await world.clock.sleep(1000);
  expect(world.clock.sleeps).toHaveLength(sleeps + 1);
});

test("aborting a batch while a 429 delays its create leaves no sleep behind", async () => {
  const controller = new AbortController();
  const { client, clock, requests } = createWorld(() => {
    setImmediate(() => controller.abort(new Error("enough")));
    return limited(60);
  });
  let sleeping = 0;
  clock.sleep = (_, signal) => {
    sleeping++;
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => {
        sleeping--;
        reject(signal.reason);
      });
    });
  };
  const batch = all(client.tasks.runAll(songs("1"), { signal: controller.signal }));
  await expect(batch).rejects.toThrow("enough");
  await turns(5);
  expect(sleeping).toBe(0);
  expect(requests).toHaveLength(1);
});

import {
  AsyncMusicError,
  InsufficientCreditsError,
  InvalidOptionError,
  InvalidRequestError,
  type Journal,
  JournalConflictError,
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
import { describe, expect, test } from "vitest";
import { abortedAfter } from "../support/abort.js";
import { batchWorld, errorsOf, journalKey, many, promptKey, song, songs } from "../support/batch-world.js";
import { all, recorder } from "../support/collect.js";
import { journalEntry, posts } from "../support/journals.js";
import { createLimitedWorld } from "../support/limited-service.js";
import { createOwnPacer } from "../support/own-pacer.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  acceptedAnew,
  balance,
  limited,
  ok,
  serve,
  serveAnew,
  succeeded,
  TASK_ID,
  task,
  taskIdIn,
} from "../support/responses.js";
import { START, type TestClock, turns } from "../support/test-clock.js";
import { watchUnhandledRejections } from "../support/unhandled.js";
import { createWorld, inTurn } from "../support/world.js";

test("results arrive as tasks end, each with its request and index", async () => {
  const requests = songs("60", "10", "30");
  const seen = await batchWorld().runAll(requests);
  expect(seen.map(({ index }) => index)).toEqual([1, 2, 0]);
  expect(seen.map(({ request }) => request)).toEqual([requests[1], requests[2], requests[0]]);
  expect(seen.map((result) => result.task?.task_id)).toEqual(["task-1", "task-2", "task-0"]);
});

test("one failure never stops the rest, whatever it is", async () => {
  const invalid = { model: "provider_a", task_type: "lyrics", input: { prompt: " " } } as const;
  const requests: TaskRequest[] = [...songs("poor", "lost", "5 fails"), invalid, song("5")];
  const seen = await batchWorld().runAll(requests, { concurrency: 2 });
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

describe("requests of an iterable", () => {
  test("are read only when a task can start", async () => {
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
    expect(await world.runAll(new Set(many(3)))).toHaveLength(3);
    expect(await world.runAll([])).toEqual([]);
  });

  test("do not delay a result if they are slow", async () => {
    const { client, clock } = batchWorld();
    async function* source() {
      yield song("10");
      await clock.sleep(600_000);
      yield song("11");
    }
    for await (const { index } of client.tasks.runAll(source())) {
      if (index === 0) expect(clock.elapsed()).toBeLessThan(60_000);
    }
  });

  test("that throws ends the batch after the results of the tasks that were started", async () => {
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
  const { runAll, clock, requests } = batchWorld();
  const signal = abortedAfter(clock, 20_000, "stop");
  await expect(runAll(many(50), { concurrency: 2, signal, pollIntervalMs: 1000 })).rejects.toBe("stop");
  const sent = requests.length;
  await clock.sleep(600_000);
  await expect(runAll(many(2), { signal: AbortSignal.abort("before") })).rejects.toBe("before");
  expect(requests).toHaveLength(sent);
});

describe("the progress", () => {
  /** The reports of a batch, with times in milliseconds of the test's clock. */
  function recordProgress(clock: TestClock) {
    const { seen: reports, note } = recorder<{ at: number; until: number | null; submitted: number }>();
    const onProgress = ({ waitingUntil, ...counts }: RunAllProgress) => {
      const until = waitingUntil === null ? null : waitingUntil.getTime() - START;
      note({ at: clock.elapsed(), until, ...counts });
    };
    return { reports, onProgress };
  }

  /** A service with 20 requests a minute, whose tasks never end. */
  function limitedWorld() {
    return createLimitedWorld(
      (request) => {
        if (request.path.endsWith("balance")) return balance();
        if (request.method === "POST") return acceptedAnew();
        return ok(task({ task_id: taskIdIn(request) }));
      },
      { requests: 20 },
    );
  }

  test("counts what is submitted, succeeded and failed", async () => {
    const { runAll } = batchWorld();
    const { seen: reports, note: onProgress } = recorder<RunAllProgress>();
    await runAll(songs("10", "20 fails", "poor"), { onProgress, concurrency: 1 });
    expect(reports).toEqual([
      { total: 3, submitted: 1, succeeded: 0, failed: 0, waitingUntil: null },
      { total: 3, submitted: 1, succeeded: 1, failed: 0, waitingUntil: null },
      { total: 3, submitted: 2, succeeded: 1, failed: 0, waitingUntil: null },
      { total: 3, submitted: 2, succeeded: 1, failed: 1, waitingUntil: null },
      { total: 3, submitted: 2, succeeded: 1, failed: 2, waitingUntil: null },
    ]);
  });

  test("counts a task as submitted whose response was broken but names it", async () => {
    const { client } = createWorld(() => accepted({ status: 7 }));
    const { seen: reports, note: onProgress } = recorder<RunAllProgress>();
    await all(client.tasks.runAll(songs("5"), { onProgress }));
    expect(reports).toMatchObject([{ submitted: 1, succeeded: 0, failed: 1 }]);
  });

  test("counts a task as submitted if the journal holds only its id", async () => {
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

  test("counts no task of a batch that is aborted with an error that names another task", async () => {
    const { client, clock } = createWorld(() => limited(60));
    const reason = new AsyncMusicError("failed", { taskId: "task-of-another" });
    const signal = abortedAfter(clock, 30_000, reason);
    const { seen: reports, note: onProgress } = recorder<RunAllProgress>();
    await expect(all(client.tasks.runAll(many(2), { onProgress, signal }))).rejects.toBe(reason);
    await turns(5);
    expect(reports.at(-1)).toMatchObject({ total: 2, submitted: 0, succeeded: 0, failed: 0 });
  });

  test.each([
    ["the loop is left", "break"],
    ["the batch is aborted", "abort"],
    ["the batch is aborted while it waits", "later"],
  ])("is not called after %s, and counts none of its unfinished runs as failed", async (_, how) => {
    const { client, clock } = batchWorld();
    const controller = new AbortController();
    let hasEnded = false;
    const { seen: reports, note } = recorder<RunAllProgress>();
    const late: RunAllProgress[] = [];
    const onProgress = (progress: RunAllProgress) => (hasEnded ? late.push(progress) : note(progress));
    const options = { onProgress, concurrency: 3, signal: controller.signal };
    if (how === "later") void clock.sleep(2000).then(() => controller.abort());
    try {
      for await (const _ of client.tasks.runAll(many(9), options)) {
        if (how === "break") break;
        if (how === "abort") controller.abort();
      }
    } catch (error) {
      expect(error).toBe(controller.signal.reason);
    }
    hasEnded = true;
    await client.tasks.flush();
    await turns(20);
    expect(late).toEqual([]);
    expect(reports.at(-1)).toMatchObject({ total: 9, failed: 0 });
    expect(reports.at(-1)?.submitted).toBeGreaterThan(0);
  });

  test("has `waitingUntil` in each window in which submissions wait for the rate limit", async () => {
    const world = limitedWorld();
    const { reports, onProgress } = recordProgress(world.clock);
    const batch = world.client.tasks.runAll(many(50), { concurrency: 50, onProgress });
    const results = batch[Symbol.asyncIterator]();
    void results.next();
    while (posts(world).length < 50) await world.clock.sleep(1000);
    await turns(5);

    const delays = reports.flatMap(({ at, until }) => (until === null ? [] : [{ at, until }]));
    const windows = new Set(delays.map(({ until }) => Math.round(until / 60_000)));
    expect([...windows].slice(0, 2)).toEqual([1, 2]);
    for (const { at, until } of delays) expect(until).toBeGreaterThan(at);
    expect(reports.at(-1)).toMatchObject({ submitted: 50, until: null });
    expect(posts(world).filter(({ at }) => at < 59_000).length).toBeLessThan(50);
    await results.return?.();
  });

  test("has `waitingUntil` at once if the rate limit is used up", async () => {
    const { client, clock } = limitedWorld();
    for (let sent = 0; sent < 20; sent++) await client.account.balance();
    const batches = [recordProgress(clock), recordProgress(clock)].map(async ({ reports, onProgress }) => {
      const results = client.tasks.runAll(songs("5"), { onProgress, maxWaitMs: 10_000 });
      await all(results);
      return reports;
    });
    for (const [first, second] of await Promise.all(batches)) {
      expect(first).toMatchObject({ at: 0, until: 60_000, submitted: 0 });
      expect(second).toMatchObject({ at: 60_000, until: null, submitted: 1 });
    }
  });

  test.each([
    ["was sent earlier than expected", null, { submitted: 1 }],
    ["failed while it was delayed", new Error("the pacer is away"), { submitted: 0, failed: 1 }],
  ])("has no `waitingUntil` after a submission that %s", async (_, failure, counts) => {
    const { pacer } = createOwnPacer();
    const { client, clock } = createWorld(serve, { pacer: { ...pacer, admit } });
    async function admit({ onDelayed }: PacedRequest): Promise<boolean> {
      onDelayed?.(START + 600_000);
      await clock.sleep(2000);
      if (failure !== null) throw failure;
      return true;
    }
    const { reports, onProgress } = recordProgress(clock);
    await all(client.tasks.runAll(songs("5"), { onProgress }));
    expect(reports.slice(0, 2)).toMatchObject([
      { until: 600_000, submitted: 0 },
      { until: null, ...counts },
    ]);
  });

  test("has the `waitingUntil` of a submission that is delayed less than an earlier one was", async () => {
    const { pacer } = createOwnPacer();
    const delays = [600_000, 10_000];
    const admit = async ({ kind, onDelayed }: PacedRequest) => {
      if (kind === "create") onDelayed?.(START + (delays.shift() ?? 0));
      return true;
    };
    const { client, clock } = createWorld(serveAnew, { pacer: { ...pacer, admit } });
    const { reports, onProgress } = recordProgress(clock);
    await all(client.tasks.runAll(songs("5", "6"), { onProgress, concurrency: 1 }));
    const ends = reports.flatMap(({ until }) => until ?? []);
    expect(ends).toEqual([600_000, 10_000]);
  });

  test("has `waitingUntil` during the pause after a 429, also when everything is submitted", async () => {
    const { client, clock } = createWorld(inTurn(accepted(), limited(30), ok(succeeded())));
    const { reports, onProgress } = recordProgress(clock);
    await all(client.tasks.runAll(songs("5"), { onProgress }));
    expect(reports).toMatchObject([
      { until: null, succeeded: 0 },
      { until: (reports[1]?.at ?? 0) + 30_000, succeeded: 0 },
      { until: null, succeeded: 1 },
    ]);
  });

  test("is not reported when the batch has ended", async () => {
    let isLimited = false;
    const { client } = createWorld((request) => (isLimited ? limited(30) : serve(request)));
    const { seen: reports, note: onProgress } = recorder<RunAllProgress>();
    await all(client.tasks.runAll(songs("5"), { onProgress }));
    for await (const _ of client.tasks.runAll(songs("5", "5"), { onProgress })) break;
    await turns(5);
    const count = reports.length;
    isLimited = true;
    await rejection(client.tasks.retrieve(TASK_ID, { maxRetries: 0 }), RateLimitedError);
    expect(reports).toHaveLength(count);
  });

  test.each(["throws", "rejects"])("reports a callback that %s after the last result", async (how) => {
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
});

test("with a journal, a batch resumes where it was left, without duplicate charges", async () => {
  const world = batchWorld();
  const options = { journal: memoryJournal(), journalKey };
  for await (const _ of world.client.tasks.runAll(many(6), { ...options, concurrency: 2 })) break;
  const seen = await world.runAll(many(6), options);
  expect(errorsOf(seen)).toEqual(Array(6).fill(undefined));
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
  const { client, requests } = batchWorld();
  const kept = memoryJournal();
  const written: (() => void)[] = [];
  const put: Journal["put"] = async (...entry) => {
    const isKept = await kept.put(...entry);
    await new Promise<void>((resolve) => written.push(resolve));
    return isKept;
  };
  const options = { journal: { ...kept, put }, journalKey: () => "song" };
  const results = client.tasks.runAll(many(1), options)[Symbol.asyncIterator]();
  const pending = results.next();
  while (written.length === 0) await turns(1);

  await results.return?.();
  await pending;
  written[0]?.();
  await turns(5);
  expect(requests).toEqual([]);
  expect(await kept.get("song")).toBeNull();
});

test("leaving a batch with a rate-limited POST does not send it again, and frees the key", async () => {
  const journal = memoryJournal();
  const { client, clock, requests } = createWorld(() => limited(60));
  const options = { journal, journalKey: () => "song", signal: AbortSignal.timeout(2 ** 31 - 1) };
  const results = client.tasks.runAll(many(1), options)[Symbol.asyncIterator]();
  const pending = results.next();
  void clock.sleep(30_000).then(() => results.return?.());
  await pending;
  await clock.sleep(600_000);
  expect(requests).toHaveLength(1);
  expect(await journal.get("song")).toBeNull();
});

test("equal requests with one key are one task, and different requests are a conflict", async () => {
  const world = batchWorld();
  const options = { journal: memoryJournal(), journalKey: () => "the same" };
  const seen = await world.runAll(songs("5", "5", "6"), options);
  expect(posts(world)).toHaveLength(1);
  expect(seen.find(({ index }) => index === 1)?.task?.task_id).toBe("task-0");
  expect(seen.find(({ index }) => index === 2)?.error).toBeInstanceOf(JournalConflictError);
});

test("a journalKey that throws or is empty fails only its own request", async () => {
  const world = batchWorld();
  const cause = new Error("no name");
  const journalKey = (request: TaskRequest) => {
    if (promptKey(request) === "6") throw cause;
    return promptKey(request) === "7" ? "" : "key";
  };
  const seen = await world.runAll(songs("5", "6", "7"), { journal: memoryJournal(), journalKey });
  expect(seen.find(({ index }) => index === 1)?.error).toMatchObject({ cause });
  expect(seen.find(({ index }) => index === 2)?.error).toBeInstanceOf(InvalidOptionError);
  expect(posts(world)).toHaveLength(1);
});

test.each(["journalKey", "tenant"])(
  "a %s that returns a rejected promise fails only its own request",
  async (name) => {
    const unhandled = watchUnhandledRejections();
    const world = batchWorld();
    const promised = (request: TaskRequest) =>
      promptKey(request) === "6" ? Promise.reject(new Error("no name")) : promptKey(request);
    const options = { journal: memoryJournal(), journalKey: promptKey, [name]: promised };
    const seen = await world.runAll(songs("5", "6"), options as RunAllOptions);
    expect(errorsOf(seen)).toEqual(expect.arrayContaining([undefined, InvalidOptionError]));
    await turns(5);
    expect(unhandled).not.toHaveBeenCalled();
  },
);

test.each<[string, object]>([
  ["concurrency", { concurrency: 0 }],
  ["concurrency", { concurrency: 1.5 }],
  ["maxCredits", { maxCredits: -1 }],
  ["maxCredits", { maxCredits: Number.NaN }],
  ["onProgress", { onProgress: 1 }],
  ["journalKey", { journal: memoryJournal() }],
  ["journalKey", { journal: memoryJournal(), journalKey: "key" }],
  ["journal", { journalKey: () => "key" }],
  ["pollIntervalMs", { pollIntervalMs: 10 }],
  ["onUpdate", { onUpdate: 1 }],
  ["requestId", { requestId: "one for all" }],
  ["concurency", { concurency: 3 }],
])("an invalid %s is refused at once", (option, options) => {
  const { client } = batchWorld();
  const begin = () => client.tasks.runAll(many(1), options as RunAllOptions);
  expect(begin).toThrow(expect.objectContaining({ option }));
});

test("requests that are not iterable are refused at once", () => {
  const { client } = batchWorld();
  expect(() => client.tasks.runAll(song("1") as never)).toThrow(InvalidOptionError);
});

test("hundreds of results under the rate limit leave nothing behind", async () => {
  const { runAll, clock } = batchWorld();
  const seen = await runAll(many(200), { concurrency: 100 });
  expect(errorsOf(seen)).toEqual(Array(200).fill(undefined));
  const sleeps = clock.sleeps.length;
  await clock.sleep(1000);
  expect(clock.sleeps).toHaveLength(sleeps + 1);
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

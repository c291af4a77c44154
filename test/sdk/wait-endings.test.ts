import {
  type AsyncMusicError,
  AuthenticationError,
  BadRequestError,
  InvalidResponseError,
  memoryJournal,
  ServerError,
  TaskFailedError,
  TaskNotFoundError,
  TaskTimedOutError,
  WaitTimeoutError,
} from "async-music";
import { describe, expect, test } from "vitest";
import { reasonOf, rejection } from "../support/rejection.js";
import {
  accepted,
  done,
  failed,
  LYRICS,
  limited,
  lost,
  ok,
  refusal,
  running,
  SONG_REQUEST,
  serve,
  succeeded,
  TASK_ID,
  task,
  unreachable,
} from "../support/responses.js";
import { createTestClock, turns } from "../support/test-clock.js";
import { arrivals, createWorld, gaps, inTurn, never, type SeenRequest } from "../support/world.js";

type ErrorClass = abstract new (...details: never[]) => AsyncMusicError;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A response with a field that nests this deeply. */
const deep = (levels: number, fields = {}) => {
  const text = JSON.stringify({ code: 200, data: task({ ...fields, deep: "?" }) });
  return new Response(text.replace('"?"', "[".repeat(levels) + "]".repeat(levels)));
};

describe("an `onUpdate` that changes its task", () => {
  const change = (fields: object) => (seen: object) => void Object.assign(seen, fields);

  test("changes neither the error of a failed task, nor what its journal key records", async () => {
    const { client } = createWorld(inTurn(accepted, () => ok(failed())));
    const journal = memoryJournal();
    const order = {
      journal,
      journalKey: "order-1",
      onUpdate: change({ status: "changed", error: "changed" }),
    };
    const error = await rejection(client.tasks.run(SONG_REQUEST, order), TaskFailedError);
    expect(error.task).toEqual(failed());
    expect(await journal.open()).toEqual([]);
  });

  test("hides no success without a result", async () => {
    const broken = succeeded({ output: { status: "completed", progress: "100%", result: null } as never });
    const { client } = createWorld(() => ok(broken));
    const waiting = client.tasks.wait(TASK_ID, { onUpdate: change({ type: "changed" }) });
    await rejection(waiting, InvalidResponseError);
  });
});

test("a run whose clock throws after a poll names its task", async () => {
  const inner = createTestClock();
  let isGone = false;
  const now = () => {
    if (isGone) throw new Error("the clock is gone");
    return inner.now();
  };
  const { client } = createWorld(
    ({ method }) => {
      isGone = method === "GET";
      return method === "POST" ? accepted() : running();
    },
    { clock: { ...inner, now } },
  );
  expect(await reasonOf(client.tasks.run(SONG_REQUEST))).toMatchObject({ taskId: TASK_ID });
});

describe("maxWaitMs", () => {
  test.each([
    [10, 10],
    [4999, 4999],
    [30_000, 30_000],
    [undefined, 65 * MINUTE],
  ])("of %s ends the wait after %i ms", async (maxWaitMs, endsAt) => {
    const { client, clock } = createWorld(running);
    const error = await rejection(client.tasks.wait(TASK_ID, { maxWaitMs }), WaitTimeoutError);
    expect(clock.elapsed()).toBe(endsAt);
    expect(error).toMatchObject({ taskId: TASK_ID, task: task() });
  });

  test("that ends before the first poll is due says so, and has no cause", async () => {
    const { client, requests } = createWorld(serve);
    const error = await rejection(client.tasks.run(SONG_REQUEST, { maxWaitMs: 2000 }), WaitTimeoutError);
    expect(error.message).toContain(
      `No end of task ${TASK_ID} was seen within 2 s: its first poll was not sent by then.`,
    );
    expect([error.task, error.cause, requests.length]).toEqual([null, undefined, 1]);
  });

  test("gives the error the last task that was read, even if later reads failed", async () => {
    const seen = task({ output: { progress: "40%", result: null } });
    const { client } = createWorld(inTurn(ok(seen), refusal(500, "internal_error")));
    const error = await rejection(client.tasks.wait(TASK_ID, { maxWaitMs: MINUTE }), WaitTimeoutError);
    expect(error.task).toEqual(seen);
  });

  test("ends a read that stalls, however far the clock moves", async () => {
    const clock = createTestClock({ skips: false });
    const { client, requests } = createWorld(never, { clock, timeoutMs: 60_000 });
    const waits = [
      rejection(client.tasks.wait(TASK_ID, { maxWaitMs: MINUTE }), WaitTimeoutError),
      rejection(client.tasks.wait(TASK_ID, { maxWaitMs: MINUTE }), WaitTimeoutError),
    ];
    await clock.advance(6000);
    expect(requests).toHaveLength(1);
    await clock.advance(HOUR);
    await Promise.all(waits);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.signal.aborted).toBe(true);
  });

  const slowly = async () => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    return done();
  };

  test.each([2 ** 31, Infinity])("of %d, which no timer can have, does not end a poll", async (maxWaitMs) => {
    const { client, requests } = createWorld((_, index) => (index === 0 ? slowly() : done()));
    await client.tasks.wait(TASK_ID, { maxWaitMs });
    expect(requests).toHaveLength(1);
  });

  test("may pass while the process sleeps, and a task that ended is still returned", async () => {
    const clock = createTestClock({ skips: false });
    const { client } = createWorld(slowly, { clock });
    const result = client.tasks.wait(TASK_ID, { maxWaitMs: MINUTE });
    await turns(3);
    clock.jump(2 * HOUR);
    await expect(result).resolves.toMatchObject({ status: "success" });
  });
});

describe("an outage", () => {
  test.each<[what: string, answer: (request: SeenRequest) => Response | Promise<Response>]>([
    ["500s", () => refusal(500, "internal_error")],
    ["502s", () => refusal(502, "upstream_provider_error")],
    ["HTML 503s", () => new Response("<h1>away</h1>", { status: 503 })],
    ["429s", () => limited(20)],
    ["cut connections", lost],
    ["refused connections", unreachable],
    ["cut JSON", () => new Response('{"code":200,"data":{"task')],
    ["empty responses", () => new Response("")],
    ["bodies that nest too deeply", () => deep(2000)],
    ["bodies that break the contract", () => ok({ task_id: TASK_ID, status: 7 })],
  ])("of ten minutes, with %s, does not end a wait", async (_, answer) => {
    const world = createWorld((request) => (request.at < 10 * MINUTE ? answer(request) : done()));
    await expect(world.client.tasks.wait(TASK_ID)).resolves.toMatchObject({ status: "success" });
    for (const gap of gaps(arrivals(world))) expect(gap).toBeGreaterThanOrEqual(1000);
  });

  test("that never ends is a WaitTimeoutError whose cause is the last failure", async () => {
    const { client } = createWorld(() => refusal(500, "internal_error"));
    const { cause } = await rejection(client.tasks.wait(TASK_ID, { maxWaitMs: MINUTE }), WaitTimeoutError);
    expect(cause).toMatchObject({ name: "ServerError", status: 500, taskId: TASK_ID });
  });
});

test.each([990, 2500, 4000, 6000, 200_000])("a wait reads a task of %i levels", async (levels) => {
  const { client } = createWorld(() => deep(levels, { status: "failure" }));
  const error = await reasonOf(client.tasks.wait(TASK_ID, { maxWaitMs: MINUTE }));
  const cause = { name: "InvalidResponseError", taskId: TASK_ID };
  expect(error).toMatchObject({
    taskId: TASK_ID,
    ...(levels < 1000 ? { name: "TaskFailedError" } : { name: "WaitTimeoutError", cause }),
  });
});

describe("what ends a wait at once", () => {
  const CASES: [what: string, answer: () => Response, kind: ErrorClass][] = [
    ["an invalid key", () => refusal(401, "invalid_api_key"), AuthenticationError],
    ["a bare 401", () => new Response("", { status: 401 }), AuthenticationError],
    ["a 401 with the code of something else", () => refusal(401, "internal_error"), ServerError],
    ["a 404 with the code of something else", () => refusal(404, "invalid_request_body"), BadRequestError],
    ["an unknown task", () => refusal(404, "task_not_found"), TaskNotFoundError],
    ["a bare 404", () => new Response("<h1>no</h1>", { status: 404 }), TaskNotFoundError],
  ];

  test.each(CASES)("%s does, with the task's id and what to do", async (_, answer, kind) => {
    const world = createWorld(inTurn(running, answer));
    const error = await rejection(world.client.tasks.wait(TASK_ID), kind);
    expect(world.requests).toHaveLength(2);
    expect(error.taskId).toBe(TASK_ID);
    const advice =
      kind === TaskNotFoundError ? "Check that this is a task ID" : `client.tasks.wait("${TASK_ID}")`;
    expect(error.message).toContain(advice);
  });

  test("an abort does, with the signal's reason, before, between and during polls", async () => {
    const reason = new Error("the user left");
    for (const phase of ["before", "between", "during"]) {
      const controller = new AbortController();
      const world = createWorld((request) => {
        if (phase === "during") setImmediate(() => controller.abort(reason));
        return never(request);
      });
      if (phase === "before") controller.abort(reason);
      const result = world.client.tasks.wait(TASK_ID, { signal: controller.signal });
      if (phase === "between") controller.abort(reason);
      await expect(result).rejects.toBe(reason);
      expect(world.requests).toHaveLength(phase === "during" ? 1 : 0);
    }
  });
});

describe("a task that ends badly", () => {
  const bare = { task_id: TASK_ID, model: "provider_a", type: "music", status: "failure", credits_cost: 10 };
  const limit = { error_code: "rate_limited", retryable: true, retry_after_seconds: 30 };

  test.each([
    ["failure", failed(limit), TaskFailedError, ["rate_limited", true, 30]],
    ["timeout", failed({ status: "timeout" }), TaskTimedOutError, ["content_moderation", false, null]],
    ["silence", bare, TaskFailedError, [null, null, null]],
  ])("in %s is a TaskFailedError with what the task says", async (_, ended, kind, fields) => {
    const { client } = createWorld(() => ok(ended));
    const error: TaskFailedError = await rejection(client.tasks.wait(TASK_ID), kind);
    expect(error).toBeInstanceOf(TaskFailedError);
    expect(error).toMatchObject({ task: ended, taskId: TASK_ID });
    expect([error.errorCode, error.retryable, error.retryAfterSeconds]).toEqual(fields);
    expect(error.message).toContain(TASK_ID);
  });

  const invalid = { error: "The input names a clip that does not exist.", error_code: "invalid_task_input" };
  const never = "The same request can never succeed: change it before you send it again.";
  test.each([
    [invalid, `failed: The input names a clip that does not exist (invalid_task_input). REFUND ${never}`],
    [{ error: "busy", ...limit }, "failed: busy (rate_limited). REFUND A new task may succeed after 30 s."],
    [
      { status: "timeout", error: "took too long", error_code: null, retryable: true },
      "timed out after an hour: took too long (no error code). REFUND A new task may succeed.",
    ],
    [
      { error: "busy", error_code: "rate_limited", retryable: null },
      "failed: busy (rate_limited). REFUND A new task may succeed.",
    ],
    [{ error: null, error_code: "content_moderation" }, `failed: content_moderation. REFUND ${never}`],
  ])("has a message with the reason and what to do: %j", async (fields, words) => {
    const { client } = createWorld(() => ok(failed(fields)));
    const message = `Task ${TASK_ID} ${words.replace("REFUND", "Its credits were refunded.")}`;
    await expect(client.tasks.wait(TASK_ID)).rejects.toMatchObject({ message });
  });

  test("does not show its prompt in the message", async () => {
    const { client } = createWorld(() => ok(failed({ input: { prompt: "secret lyrics" } })));
    const { message } = await rejection(client.tasks.wait(TASK_ID), TaskFailedError);
    expect(message).not.toContain("secret lyrics");
  });

  test("with success but without a result is an InvalidResponseError with the id", async () => {
    const results = [null, "x", [{}], LYRICS].map((result) => ({ result }));
    for (const output of [null, {}, ...results]) {
      const { client } = createWorld(() => ok(succeeded({ output })));
      const error = await rejection(client.tasks.wait(TASK_ID), InvalidResponseError);
      expect(error.taskId).toBe(TASK_ID);
      expect(error.issues[0]?.path).toMatch(/^data\.output/);
      expect(error.message).toContain(`client.tasks.wait("${TASK_ID}")`);
    }
  });

  test.each<[type: string, result: unknown]>([
    ["lyrics", LYRICS],
    ["video", "https://video.example/1"],
    ["video", null],
  ])("as %s, with the result %j, is no end of a run that ordered music", async (type, result) => {
    const { client } = createWorld(inTurn(accepted(), ok(succeeded({ type, output: { result } }))));
    const error = await rejection(client.tasks.run(SONG_REQUEST), InvalidResponseError);
    expect(error).toMatchObject({ taskId: TASK_ID, issues: [{ path: "data.output.result" }] });
  });
});

describe("onUpdate", () => {
  test("is called for every change, and last with the task as it ended", async () => {
    const at = (progress: string) => () => ok(task({ output: { progress, result: null } }));
    const { client } = createWorld(
      inTurn(ok(task({ status: "pending" })), running, running, at("5%"), at("5%"), at("9%"), done),
    );
    const seen: string[] = [];
    await client.tasks.wait(TASK_ID, {
      onUpdate: ({ status, output }) => void seen.push(`${status} ${output?.progress}`),
    });
    expect(seen).toEqual([
      "pending undefined",
      "running undefined",
      "running 5%",
      "running 9%",
      "success 100%",
    ]);
  });

  test("is awaited before the next poll", async () => {
    const world = createWorld(inTurn(running, done));
    await world.client.tasks.wait(TASK_ID, { onUpdate: () => world.clock.sleep(100_000) });
    expect(gaps(arrivals(world))[0]).toBeGreaterThanOrEqual(100_000);
  });
});

describe("a task that is not found", () => {
  const world = () => createWorld(() => refusal(404, "task_not_found"));

  test.each(["retrieve", "wait"] as const)("by `%s`: the message says what to check", async (call) => {
    const { message } = await rejection(world().client.tasks[call](TASK_ID), TaskNotFoundError);
    expect(message).toContain(
      "Check that this is a task ID, not a clip ID, and that the API key belongs to its account.",
    );
    expect(message).not.toContain("Resume");
  });

  test("but is in the journal: the message says to check the account", async () => {
    const journal = memoryJournal();
    const options = { journal, journalKey: "order-1" };
    const before = createWorld(serve);
    await before.client.tasks.run(SONG_REQUEST, options);
    const { message } = await rejection(world().client.tasks.run(SONG_REQUEST, options), TaskNotFoundError);
    expect(message).toContain(
      'The journal names this task under "order-1": it may belong to another account, or to an emulator that has ended. ' +
        "Use the same journal key with the API key of that account.",
    );
    expect(message).not.toContain("client.tasks.wait");
  });
});

test("every error of a wait can be logged as JSON", async () => {
  for (const answer of [() => ok(failed()), () => refusal(401, "invalid_api_key"), running]) {
    const { client } = createWorld(answer);
    const error = await reasonOf(client.tasks.wait(TASK_ID, { maxWaitMs: MINUTE }));
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: (error as Error).name, taskId: TASK_ID });
  }
});

import { type Clock, type Task, taskEvents } from "async-music";
import { describe, expect, test, vi } from "vitest";
import { failed, ok, refusal, succeeded, TASK_ID, task } from "../support/responses.js";
import { START, turns } from "../support/test-clock.js";
import { API_KEY, createWorld, gaps, inTurn } from "../support/world.js";

/** The events of a stream as an `EventSource` reads them. */
async function eventsOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const text = await new Response(stream).text();
  return text
    .split("\n\n")
    .filter((block) => block !== "" && block !== ":")
    .map((block) => {
      const fields = new Map(
        block.split("\n").map((line) => [line.split(": ", 1)[0], line.replace(/^\w+: /, "")]),
      );
      return { event: fields.get("event") ?? "message", data: JSON.parse(fields.get("data") ?? "") };
    });
}

const statusOf = ({ status }: Task) => ({ status });

test("each change is a message with the task as JSON, the last is the final task, and the stream closes", async () => {
  const { client } = createWorld(
    inTurn(
      ok(task({ status: "pending" })),
      ok(task()),
      ok(task({ output: { progress: "50%\nhalf", result: null } })),
      ok(succeeded()),
    ),
  );
  const events = await eventsOf(taskEvents(client.tasks.watch(TASK_ID)));
  expect(events.map(({ event }) => event)).toEqual(Array(4).fill("message"));
  expect(events.map(({ data }) => data.status)).toEqual(["pending", "running", "running", "success"]);
  expect(events[2]?.data.output.progress).toBe("50%\nhalf");
  expect(events[3]?.data).toEqual(succeeded());
});

test.each<[what: string, answer: () => Response, toData: (task: Task) => unknown, data: string]>([
  ["what the callback returns, and nothing else", () => ok(succeeded()), statusOf, '{"status":"success"}'],
  ["what an async callback resolves with", () => ok(succeeded()), async (task) => task.status, '"success"'],
  ["a failed task, which is no error", () => ok(failed()), statusOf, '{"status":"failure"}'],
  ["null for nothing", () => ok(succeeded()), () => undefined, "null"],
  ["null for data that JSON can't represent", () => ok(succeeded()), () => Symbol("none"), "null"],
])("a message has %s", async (_, answer, toData, data) => {
  const { client } = createWorld(answer);
  const text = await new Response(taskEvents(client.tasks.watch(TASK_ID), toData)).text();
  expect(text).toBe(`data: ${data}\n\n`);
});

test.each([
  ["an unknown task ID", () => refusal(404, "task_not_found"), "TaskNotFoundError"],
  ["a refused key", () => refusal(401, "invalid_api_key", {}, { message: API_KEY }), "AuthenticationError"],
  ["a wait that takes too long", () => ok(task()), "WaitTimeoutError"],
])("%s ends the stream with an event that names the error, and shows no message", async (_, answer, name) => {
  const { client } = createWorld(answer);
  const tasks = client.tasks.watch(TASK_ID, { maxWaitMs: 20_000 });
  const events = await eventsOf(taskEvents(tasks, statusOf));
  expect(events.at(-1)).toEqual({ event: "wait_error", data: { name, task_id: TASK_ID } });
});

test("after an abort of the watch, the stream ends without an event, so that a page connects again", async () => {
  const { client, clock } = createWorld(() => ok(task()));
  const stop = new AbortController();
  const events = eventsOf(taskEvents(client.tasks.watch(TASK_ID, { signal: stop.signal }), statusOf));
  void clock.sleep(20_000).then(() => stop.abort(new Error("the server stops")));
  expect(await events).toEqual([{ event: "message", data: { status: "running" } }]);
});

test("if the callback throws, the stream ends with an event and the watch is closed", async () => {
  const { client, clock, requests } = createWorld(() => ok(task()));
  let isLeft = false;
  async function* watched() {
    try {
      yield* client.tasks.watch(TASK_ID);
    } finally {
      isLeft = true;
    }
  }
  const toData = () => {
    throw new Error("secret detail");
  };
  const events = await eventsOf(taskEvents(watched(), toData));
  expect(events).toEqual([{ event: "wait_error", data: { name: "Error", task_id: null } }]);
  expect(isLeft).toBe(true);
  await clock.sleep(600_000);
  expect(requests).toHaveLength(1);
});

test("a canceled stream stops polling, with or without a pending read", async () => {
  for (const isWaiting of [true, false]) {
    const { client, clock, requests } = createWorld(() => ok(task()));
    const reader = taskEvents(client.tasks.watch(TASK_ID)).getReader();
    await reader.read();
    if (isWaiting) void reader.read();
    await turns(3);
    await reader.cancel("the browser has left");
    const sent = requests.length;
    await clock.sleep(600_000);
    expect(requests).toHaveLength(sent);
  }
});

test("nothing is polled before and between reads, and a slow reader skips changes", async () => {
  let polls = 0;
  const { client, clock, requests } = createWorld(() =>
    ok(task({ output: { progress: `${polls++}%`, result: null } })),
  );
  const stream = taskEvents(client.tasks.watch(TASK_ID), ({ output }) => output?.progress);
  await clock.sleep(600_000);
  expect(requests).toHaveLength(0);
  const reader = stream.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: "0%"\n\n');
  await clock.sleep(600_000);
  expect(requests).toHaveLength(1);
  await reader.read();
  expect(requests).toHaveLength(2);
  await reader.cancel();
});

test("the rejection of an async callback is the last event of the stream", async () => {
  const { client } = createWorld(() => ok(succeeded()));
  const broken = taskEvents(client.tasks.watch(TASK_ID), () => Promise.reject(new Error("db down")));
  expect(await eventsOf(broken)).toEqual([{ event: "wait_error", data: { name: "Error", task_id: null } }]);
});

describe("a comment", () => {
  /** Each line of the stream, with the time of its arrival in seconds. */
  async function linesOf(stream: ReadableStream<Uint8Array>, clock: Clock) {
    const lines: [seconds: number, line: string][] = [];
    for await (const bytes of stream as unknown as AsyncIterable<Uint8Array>)
      lines.push([(clock.now() - START) / 1000, new TextDecoder().decode(bytes).trimEnd()]);
    return lines;
  }

  test("follows each poll without a change", async () => {
    const { client, clock, requests } = createWorld(
      inTurn(ok(task()), ok(task()), refusal(500, "internal_error"), ok(task()), ok(succeeded())),
    );
    const tasks = client.tasks.watch(TASK_ID, { pollIntervalMs: [5000, 5000] });
    const lines = await linesOf(
      taskEvents(tasks, ({ status }) => status),
      clock,
    );
    expect(lines).toEqual(
      requests.map(({ at }, index) => [
        at / 1000,
        index === 0 ? 'data: "running"' : index === 4 ? 'data: "success"' : ":",
      ]),
    );
  });

  test("comes at the latest 8 seconds after the last line while nothing is polled", async () => {
    const { client, clock } = createWorld(inTurn(ok(task()), ok(succeeded())));
    const tasks = client.tasks.watch(TASK_ID, { pollIntervalMs: [60_000, 60_000] });
    const times = (await linesOf(taskEvents(tasks, statusOf), clock)).map(([seconds]) => seconds);
    expect(Math.max(...gaps(times))).toBe(8);
    expect(times.length).toBeGreaterThan(7);
  });

  test("comes while the callback works on a change", async () => {
    const { client, clock } = createWorld(() => ok(succeeded()));
    const slow = async () => {
      await clock.sleep(20_000);
      return "done";
    };
    const lines = await linesOf(taskEvents(client.tasks.watch(TASK_ID), slow), clock);
    expect(lines.map(([, line]) => line).slice(-3)).toEqual([":", ":", 'data: "done"']);
  });

  test("needs no timer after the stream has ended, failed or was canceled", async () => {
    for (const answer of [ok(succeeded()), refusal(404, "task_not_found"), ok(task())]) {
      const { client, clock } = createWorld(inTurn(ok(task()), answer));
      const pending = new Set<AbortSignal>();
      const { sleep } = clock;
      clock.sleep = async (ms, signal) => {
        if (signal === undefined) return sleep(ms, signal);
        pending.add(signal);
        return sleep(ms, signal).finally(() => pending.delete(signal));
      };
      const reader = taskEvents(client.tasks.watch(TASK_ID, { maxWaitMs: 30_000 })).getReader();
      await reader.read();
      if (answer.status !== 200) while (!(await reader.read()).done);
      else await reader.cancel();
      await turns(3);
      expect(pending.size).toBe(0);
    }
  });

  test("never fills the stream if the clock does not sleep", async () => {
    const { client, clock } = createWorld(inTurn(ok(task()), ok(succeeded())));
    clock.sleep = async () => {};
    const lines = await linesOf(taskEvents(client.tasks.watch(TASK_ID), statusOf), clock);
    expect(lines.length).toBeLessThan(10);
  });

  test("comes on the system's clock for other iterables than those of `watch`", async () => {
    vi.useFakeTimers();
    try {
      async function* endless(): AsyncGenerator<Task> {
        await new Promise(() => {});
      }
      const reader = taskEvents(endless()).getReader();
      const read = reader.read();
      await vi.advanceTimersByTimeAsync(8000);
      expect(new TextDecoder().decode((await read).value)).toBe(":\n\n");
    } finally {
      vi.useRealTimers();
    }
  });
});

import { getEventListeners } from "node:events";
import { isLyrics, isMusic, memoryJournal, type TaskSubmission, type WaitOptions } from "async-music";
import { describe, expect, test } from "vitest";
import { reasonOf } from "../support/rejection.js";
import {
  accepted,
  done,
  LYRICS,
  ok,
  SONG_REQUEST,
  submission,
  succeeded,
  TASK_ID,
  task,
  taskIdIn,
} from "../support/responses.js";
import { START } from "../support/test-clock.js";
import { arrivals, createWorld, gaps, inTurn } from "../support/world.js";

test("the first 5 seconds count from this client's submission, whatever created_at is", async () => {
  const world = createWorld(inTurn(() => accepted({ created_at: "2020-01-01T00:00:00Z" }), done));
  const created = await world.client.tasks.create(SONG_REQUEST);
  await world.clock.sleep(2000);
  await world.client.tasks.wait(created);
  expect(arrivals(world)[1]).toBeGreaterThanOrEqual(5000);
  expect(arrivals(world)[1]).toBeLessThan(7000);
});

test("a submission with a created_at in the future does not delay the wait", async () => {
  const world = createWorld(done);
  const created = submission({ created_at: "2036-01-01T00:00:00Z" }) as unknown as TaskSubmission;
  await world.client.tasks.wait(created);
  expect(arrivals(world)[0]).toBeLessThanOrEqual(6000);
});

const BAD: [option: string, value: unknown, rule: string][] = [
  ["pollIntervalMs", 999, "at least 1000"],
  ["pollIntervalMs", [999, 5000], "at least 1000"],
  ["pollIntervalMs", [1001, 1000], "longest"],
  ["pollIntervalMs", [5000], "number"],
  ["pollIntervalMs", [5000, 6000, 7000], "number"],
  ["pollIntervalMs", Number.NaN, "number"],
  ["pollIntervalMs", Number.POSITIVE_INFINITY, "number"],
  ["pollIntervalMs", [1000, Number.NaN], "number"],
  ["pollIntervalMs", "5000", "number"],
  ["pollIntervalMs", null, "number"],
  ["pollIntervalMs", {}, "number"],
  ["maxWaitMs", 0, ""],
  ["maxWaitMs", -1, ""],
  ["maxWaitMs", Number.NaN, ""],
  ["maxWaitMs", "1000", ""],
  ["onUpdate", "log", ""],
  ["onSubmitted", 7, ""],
  ["timeoutMs", 0, ""],
  ["requestId", "a b", ""],
  ["signal", {}, ""],
];

test.each(BAD)("%s: %o is refused by every wait before anything is sent", async (option, value, rule) => {
  const { client, requests } = createWorld(done);
  const options = { [option]: value } as WaitOptions;
  const refusal = expect.objectContaining({ option, message: expect.stringContaining(rule) });
  await expect(client.tasks.wait(TASK_ID, options)).rejects.toThrow(refusal);
  expect(() => client.tasks.watch(TASK_ID, options)).toThrow(refusal);
  await expect(client.tasks.run(SONG_REQUEST, options)).rejects.toThrow(refusal);
  expect(requests).toEqual([]);
});

test.each([1000, 1001, [1000, 1000], [1001, 1001], [1000, 1001]])(
  "`pollIntervalMs: %j` is accepted",
  async (pollIntervalMs) => {
    const options = { pollIntervalMs } as WaitOptions;
    await expect(createWorld(done).client.tasks.wait(TASK_ID, options)).resolves.toEqual(succeeded());
  },
);

test("a thousand waits on one signal share one listener, and an abort removes everything", async () => {
  const { client, clock } = createWorld((request) => ok(task({ task_id: taskIdIn(request) })));
  const controller = new AbortController();
  const { signal } = controller;
  const waits = Array.from({ length: 1000 }, (_, index) =>
    reasonOf(client.tasks.wait(`${index}`, { signal })),
  );
  await clock.sleep(7000);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  controller.abort("left");
  expect(new Set(await Promise.all(waits))).toEqual(new Set(["left"]));
  expect(getEventListeners(signal, "abort")).toEqual([]);
  const sleeps = clock.sleeps.length;
  await clock.sleep(1000);
  expect(clock.sleeps).toHaveLength(sleeps + 1);
});

test("only a final status ends a wait; with an unknown status it continues at its normal pace", async () => {
  const statuses = ["pending", "queued_somewhere", "paused", "running", "Success"];
  const world = createWorld(inTurn(...statuses.map((status) => ok(task({ status }))), done));
  await world.client.tasks.wait(TASK_ID);
  expect(world.requests).toHaveLength(6);
  for (const gap of gaps(arrivals(world))) expect(gap).toBeGreaterThanOrEqual(4000);
});

test("a wait for lyrics resolves with their text", async () => {
  const { client } = createWorld(() => ok(succeeded({ type: "lyrics", output: { result: LYRICS } })));
  await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject({ output: { result: LYRICS } });
});

test.each([
  ["music", true, false],
  ["lyrics", false, true],
  ["concat", false, false],
] as const)("`isMusic` and `isLyrics` of a task of type %s", async (type, music, lyrics) => {
  const { client } = createWorld(() => ok(task({ type, status: "running" })));
  const read = await client.tasks.retrieve(TASK_ID);
  expect([isMusic(read), isLyrics(read)]).toEqual([music, lyrics]);
});

describe("the first poll", () => {
  const HOUR = 3_600_000;
  const date = (ms: number) => ({ Date: new Date(START + ms).toUTCString() });
  const saved = (fields = {}) => submission({ created_at: iso(0), ...fields }) as unknown as TaskSubmission;
  const iso = (ms: number) => new Date(START + ms).toISOString();

  test("a finished task of which only the id is known is returned after one request, at once", async () => {
    const world = createWorld(done);
    await expect(world.client.tasks.wait(TASK_ID)).resolves.toEqual(succeeded());
    expect(arrivals(world)).toEqual([0]);
  });

  test("a watch of an ID yields the task at once", async () => {
    const world = createWorld(inTurn(ok(task()), done));
    for await (const { status } of world.client.tasks.watch(TASK_ID)) {
      if (status === "running") expect(world.clock.elapsed()).toBe(0);
    }
    expect(arrivals(world)).toEqual([0, 5000]);
  });

  test("an ID is read at once while sixty tasks share the rate limit", async () => {
    const world = createWorld((request) =>
      request.method === "POST"
        ? accepted({ task_id: crypto.randomUUID() })
        : ok((taskIdIn(request) === TASK_ID ? succeeded : task)({ task_id: taskIdIn(request) })),
    );
    const controller = new AbortController();
    const { signal } = controller;
    const runs = Array.from({ length: 60 }, () => reasonOf(world.client.tasks.run(SONG_REQUEST, { signal })));
    for (const id of ["one", "two", "three"]) runs.push(reasonOf(world.client.tasks.wait(id, { signal })));
    await world.clock.sleep(90_000);
    const from = world.clock.elapsed();
    await world.client.tasks.wait(TASK_ID);
    expect(world.clock.elapsed() - from).toBeLessThanOrEqual(1000);
    controller.abort();
    await Promise.all(runs);
  });

  test.each([
    ["an hour ahead", HOUR],
    ["an hour behind", -HOUR],
  ])("of a saved submission comes 5 s after it, if the service's clock is %s", async (_, skew) => {
    const balance = { available: 1, frozen: 0, total: 1 };
    const world = createWorld(({ path, at }) =>
      ok(path.endsWith("balance") ? balance : succeeded(), date(skew + at)),
    );
    await world.client.account.balance();
    await world.clock.sleep(3000);
    await world.client.tasks.wait(saved({ created_at: iso(skew) }));
    expect(arrivals(world)[1]).toBe(5000);
    await world.client.tasks.wait(saved({ created_at: iso(skew - 10_000) }));
    expect(arrivals(world)[2]).toBeLessThanOrEqual(6000);
  });

  test("of a saved submission trusts a clock of unknown skew to a minute", async () => {
    for (const [ageMs, expected] of [
      [59_999, 1],
      [60_000, 0],
      [50_000, 5000],
    ] as const) {
      const world = createWorld(done);
      await world.client.tasks.wait(saved({ created_at: iso(-ageMs - (expected === 5000 ? 0 : 5000)) }));
      expect(arrivals(world)).toEqual([expected]);
    }
  });

  test("of a task that a run finds in the journal comes no earlier than of its submission", async () => {
    for (const [entry, expected] of [
      [{ submission: saved({ created_at: iso(-2000) }) }, 5000],
      [{ submission: saved({ created_at: iso(-2 * HOUR) }), status: "success" }, 0],
      [{ submission: null, at: iso(-2000) }, 5000],
      [{ submission: null, at: iso(-2 * HOUR), status: "success" }, 0],
      // Another process may have polled the unfinished task just before.
      [{ submission: saved({ created_at: iso(-2 * HOUR) }) }, 1000],
      [{ submission: null, at: iso(-2 * HOUR) }, 1000],
    ] as const) {
      const journal = memoryJournal();
      const record = {
        state: "submitted",
        revision: "1",
        request: SONG_REQUEST,
        request_id: "r",
        at: iso(-2000),
        tasks_created: null,
        task_id: TASK_ID,
        ...entry,
      };
      await journal.put("order", record as never, null);
      const world = createWorld(done);
      await world.client.tasks.run(SONG_REQUEST, { journal, journalKey: "order" });
      expect(arrivals(world)).toEqual([expected]);
    }
  });
});

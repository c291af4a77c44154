import { InvalidOptionError, type TaskSubmission, type WaitOptions } from "async-music";
import { describe, expect, test } from "vitest";
import {
  accepted,
  LYRICS,
  limited,
  ok,
  refusal,
  SONG_REQUEST,
  submission,
  succeeded,
  TASK_ID,
  task,
} from "../support/answers.js";
import { rejection } from "../support/rejection.js";
import { createWorld, inTurn, type SeenRequest } from "../support/world.js";

const MINUTE = 60_000;

const running = () => ok(task());
const done = () => ok(succeeded());
const arrivals = ({ requests }: { requests: SeenRequest[] }) => requests.map(({ at }) => at);
const gaps = (times: number[]) => times.slice(1).map((at, index) => at - (times[index] ?? 0));

/** Runs until the given time of the test's clock, then succeeds. */
const doneAt =
  (ms: number) =>
  ({ at }: SeenRequest) =>
    at >= ms ? done() : running();

describe("the pace", () => {
  test.each([0, 0.5, 0.999])(
    "with chance %d no poll comes in the first 5 seconds, and every gap is the shortest",
    async (chance) => {
      const world = createWorld(doneAt(10 * MINUTE), { random: () => chance });
      await world.client.tasks.wait(TASK_ID);
      const times = arrivals(world);
      expect(times[0]).toBeGreaterThanOrEqual(5000);
      expect(times[0]).toBeLessThanOrEqual(5500);
      for (const gap of gaps(times)) {
        expect(gap).toBeGreaterThanOrEqual(5000);
        expect(gap).toBeLessThanOrEqual(5500);
      }
    },
  );

  test("the first 5 seconds are counted from the submission of this client, whatever its created_at says", async () => {
    const world = createWorld(inTurn(accepted({ created_at: "2020-01-01T00:00:00Z" }), done));
    const created = await world.client.tasks.create(SONG_REQUEST);
    await world.clock.sleep(2000);
    await world.client.tasks.wait(created);
    expect(arrivals(world)[1]).toBeGreaterThanOrEqual(5000);
    expect(arrivals(world)[1]).toBeLessThan(7000);
  });

  test("a task that was submitted long ago is asked for at once", async () => {
    const world = createWorld(done);
    await world.client.tasks.wait(
      submission({ created_at: "2025-12-31T23:00:00Z" }) as unknown as TaskSubmission,
    );
    expect(arrivals(world)).toEqual([0]);
  });

  test("a submission whose time lies ahead of the clock does not delay the wait", async () => {
    const world = createWorld(done);
    await world.client.tasks.wait(
      submission({ created_at: "2036-01-01T00:00:00Z" }) as unknown as TaskSubmission,
    );
    expect(arrivals(world)[0]).toBeLessThanOrEqual(6000);
  });

  test.each([1000, 2500, 60_000])(
    "one interval of %i is every gap, and it is never undercut",
    async (pollIntervalMs) => {
      const world = createWorld(doneAt(10 * pollIntervalMs), { random: () => 0.999 });
      await world.client.tasks.wait(TASK_ID, { pollIntervalMs });
      for (const gap of gaps([0, ...arrivals(world)])) {
        expect(gap).toBeGreaterThanOrEqual(pollIntervalMs);
        expect(gap).toBeLessThanOrEqual(1.2 * pollIntervalMs);
      }
    },
  );

  test("of two intervals the shortest is every gap while the budget is plentiful", async () => {
    const world = createWorld(doneAt(5 * MINUTE));
    await world.client.tasks.wait(TASK_ID, { pollIntervalMs: [2000, 30_000] });
    const all = gaps([0, ...arrivals(world)]);
    expect(Math.min(...all)).toBeGreaterThanOrEqual(2000);
    expect(Math.max(...all)).toBeLessThanOrEqual(2200);
  });

  test("a 429 during a wait is not undercut by the next poll", async () => {
    const world = createWorld(inTurn(limited(90), done));
    await world.client.tasks.wait(TASK_ID);
    expect(gaps(arrivals(world))[0]).toBeGreaterThanOrEqual(90_000);
  });

  test("a 503 that states a wait is not undercut by the next poll", async () => {
    const world = createWorld(inTurn(refusal(503, "internal_error", { "Retry-After": "90" }), done));
    await world.client.tasks.wait(TASK_ID);
    expect(gaps(arrivals(world))[0]).toBeGreaterThanOrEqual(90_000);
  });
});

describe("options", () => {
  const BAD: [option: string, value: unknown][] = [
    ["pollIntervalMs", 999],
    ["pollIntervalMs", [5000, 1000]],
    ["pollIntervalMs", "5000"],
    ["maxWaitMs", 0],
    ["maxWaitMs", -1],
    ["maxWaitMs", Number.NaN],
    ["maxWaitMs", "1000"],
    ["onUpdate", "log"],
    ["timeoutMs", 0],
    ["requestId", "a b"],
    ["signal", {}],
  ];

  test.each(BAD)("%s: %o is refused before anything is sent", async (option, value) => {
    const world = createWorld(done);
    const options = { [option]: value } as WaitOptions;
    expect((await rejection(world.client.tasks.wait(TASK_ID, options), InvalidOptionError)).option).toBe(
      option,
    );
    expect(() => world.client.tasks.watch(TASK_ID, options)).toThrow(InvalidOptionError);
    expect((await rejection(world.client.tasks.run(SONG_REQUEST, options), InvalidOptionError)).option).toBe(
      option,
    );
    expect(world.requests).toEqual([]);
  });

  test("a run refuses its own callbacks too before anything is sent", async () => {
    const { client, requests } = createWorld(done);
    await rejection(
      client.tasks.run(SONG_REQUEST, { onSubmitted: 7 as unknown as () => void }),
      InvalidOptionError,
    );
    expect(requests).toEqual([]);
  });
});

describe("what is waited for", () => {
  test("may be a bare id, a submission, or one that went through JSON", async () => {
    const { client, requests } = createWorld(done);
    const saved = JSON.parse(JSON.stringify(submission())) as TaskSubmission<"music">;
    for (const what of [TASK_ID, submission() as unknown as TaskSubmission, saved]) {
      await expect(client.tasks.wait(what)).resolves.toEqual(succeeded());
    }
    expect(new Set(requests.map(({ path }) => path))).toEqual(new Set([`/api/v1/task/${TASK_ID}`]));
  });

  test("is over only with a final status: what this version does not know goes on at the normal pace", async () => {
    const statuses = ["pending", "queued_somewhere", "paused", "running", "Success"];
    const world = createWorld(inTurn(...statuses.map((status) => () => ok(task({ status }))), done));
    await world.client.tasks.wait(TASK_ID);
    expect(world.requests).toHaveLength(6);
    for (const gap of gaps(arrivals(world))) expect(gap).toBeGreaterThanOrEqual(4000);
  });

  test("is answered whole, unknown fields included", async () => {
    const { client } = createWorld(() => ok(succeeded({ region: "eu" })));
    await expect(client.tasks.wait(TASK_ID)).resolves.toEqual(succeeded({ region: "eu" }));
  });

  test("may be lyrics", async () => {
    const { client } = createWorld(() => ok(succeeded({ type: "lyrics", output: { result: LYRICS } })));
    await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject({ output: { result: LYRICS } });
  });
});

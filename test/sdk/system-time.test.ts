import { AsyncMusic, WaitTimeoutError } from "async-music";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { reasonOf } from "../support/rejection.js";
import { ok, refusal, succeeded, TASK_ID, task } from "../support/responses.js";
import { START } from "../support/test-clock.js";

// A client on the system clock while the system time changes.

const HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A client that receives these responses, and the times of its polls in real seconds. */
function createWorld(answer: (poll: number) => Response) {
  const startedAt = performance.now();
  const polls: number[] = [];
  const fetch = async () => {
    polls.push(Math.round((performance.now() - startedAt) / 1000));
    return answer(polls.length);
  };
  const client = new AsyncMusic({
    apiKey: "key_1",
    baseUrl: "https://music.example",
    fetch,
    random: () => 0,
  });
  return { client, polls };
}

test.each([
  ["set back by three hours", -3 * HOUR],
  ["set back by a day", -24 * HOUR],
])("a system clock that is %s does not change the pace of a wait", async (_, ms) => {
  const { client, polls } = createWorld((poll) => ok(poll < 4 ? task() : succeeded()));
  const wait = client.tasks.wait(TASK_ID);
  await vi.advanceTimersByTimeAsync(6000);
  vi.setSystemTime(Date.now() + ms);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(polls).toEqual([0, 5, 10, 15]);
  await expect(wait).resolves.toMatchObject({ status: "success" });
});

test("a system clock that is set back does not change maxWaitMs or a stated wait", async () => {
  const { client, polls } = createWorld(() => refusal(503, "internal_error", { "Retry-After": "20" }));
  const wait = reasonOf(client.tasks.wait(TASK_ID, { maxWaitMs: 60_000 }));
  await vi.advanceTimersByTimeAsync(6000);
  vi.setSystemTime(Date.now() - 3 * HOUR);
  await vi.advanceTimersByTimeAsync(54_000);
  expect(polls).toEqual([0, 20, 40, 60]);
  expect(await wait).toBeInstanceOf(WaitTimeoutError);
});

test("after a machine sleeps, its tasks are polled as soon as it wakes up", async () => {
  const { client, polls } = createWorld((poll) => ok(poll === 1 ? task() : succeeded()));
  const wait = client.tasks.wait(TASK_ID, { pollIntervalMs: [5000, 600_000] });
  await vi.advanceTimersByTimeAsync(6000);
  vi.setSystemTime(Date.now() + 3 * HOUR);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(polls.length).toBe(2);
  await expect(wait).resolves.toMatchObject({ status: "success" });
});

import type { AsyncMusic, WaitOptions } from "async-music";
import { expect, test } from "vitest";
import { seededRandom } from "../../tools/pacing/random.js";
import { createLimitedWorld } from "../support/limited-service.js";
import {
  accepted,
  ok,
  refusal,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
  task,
  taskIdIn,
} from "../support/responses.js";
import { arrivals, createWorld, gaps, type SeenRequest } from "../support/world.js";

// Limits: poll every 5 to 10 seconds.

const DONE_AT_MS = 120_000;

/** The times between the polls of one wait. */
async function gapsOf(
  answer: (request: SeenRequest, index: number) => Response | null,
  options = {},
  random = seededRandom(1),
) {
  const { client, requests } = createWorld(
    (request, index) => answer(request, index) ?? ok(request.at < DONE_AT_MS ? task() : succeeded()),
    { random },
  );
  await client.tasks.wait(TASK_ID, options);
  return gaps(arrivals({ requests }));
}

test.each<[pollIntervalMs: WaitOptions["pollIntervalMs"], shortest: number, longest: number]>([
  [undefined, 5000, 5500],
  [1000, 1000, 1100],
  [7000, 7000, 7700],
  [[5000, 5001], 5000, 5001],
])(
  "on an idle key, `pollIntervalMs: %o` has gaps of %i to %i ms",
  async (pollIntervalMs, shortest, longest) => {
    for (const gap of await gapsOf(() => null, { pollIntervalMs })) {
      expect(gap).toBeGreaterThanOrEqual(shortest);
      expect(gap).toBeLessThanOrEqual(longest);
    }
  },
);

test("clients with different random numbers poll at different times", async () => {
  const gapsWith = (random: number) =>
    gapsOf(
      () => null,
      {},
      () => random,
    );
  expect(await gapsWith(0)).not.toEqual(await gapsWith(0.9));
});

test("a failed read does not change the gap of a fixed interval", async () => {
  const gaps = await gapsOf((_, index) => (index === 1 ? refusal(503, "internal_error") : null), {
    pollIntervalMs: 7000,
  });
  expect(new Set(gaps)).toEqual(new Set([7000]));
});

test("a failed read does not shorten the gap to the next poll", async () => {
  const isFailed = (index: number) => index % 4 === 1 || index % 4 === 2;
  const gaps = await gapsOf((_, index) => (isFailed(index) ? refusal(503, "upstream_provider_error") : null));
  for (const [index, gap] of gaps.entries()) {
    expect(gap).toBeGreaterThanOrEqual(5000);
    expect(gap).toBeLessThanOrEqual(10_000);
    if (isFailed(index)) expect(gap).toBeGreaterThan(7000);
  }
});

test("`Retry-After` of a failed read is obeyed, up to a day", async () => {
  const stated = { "Retry-After": "9999999999" };
  const gaps = await gapsOf(
    (_, index) => (index === 0 ? refusal(503, "upstream_provider_error", stated) : null),
    { maxWaitMs: 100 * 86_400_000 },
  );
  expect(gaps[0]).toBe(86_400_000);
});

test.each([300, 302, 304, 307, 400, 403, 409, 429, 500, 503])(
  "`Retry-After` of a read with HTTP %i is never undercut",
  async (status) => {
    const stated = () => new Response(null, { status, headers: { "Retry-After": "60" } });
    const gaps = await gapsOf((_, index) => (index < 2 ? stated() : null));
    expect(gaps[0]).toBeGreaterThanOrEqual(60_000);
    expect(gaps[1]).toBeGreaterThanOrEqual(60_000);
  },
);

/** The gaps between the polls of tasks on one key with 120 requests per minute, and between their creation and the first poll. */
async function gapsOfMany(start: (client: AsyncMusic) => Promise<unknown>[]) {
  const readAt = new Map<string, number>();
  const gaps: number[] = [];
  const { client, refused } = createLimitedWorld(
    (request) => {
      if (request.method === "POST") {
        const taskId = `00000000-0000-4000-8000-${String(readAt.size).padStart(12, "0")}`;
        readAt.set(taskId, request.at);
        return accepted({ task_id: taskId });
      }
      const taskId = taskIdIn(request);
      const previous = readAt.get(taskId);
      if (previous !== undefined) gaps.push(request.at - previous);
      readAt.set(taskId, request.at);
      return ok((request.at < DONE_AT_MS ? task : succeeded)({ task_id: taskId }));
    },
    {},
    { random: seededRandom(1) },
  );
  await Promise.all(start(client));
  expect(refused()).toBe(0);
  return { gaps, tasks: readAt.size };
}

test.each([
  [11, undefined, 5000, 10_000],
  [11, [5000, 10_000], 5000, 10_000],
  [3, [1000, 3000], 1000, 3000],
  [5, [2000, 4000], 2000, 4000],
] as const)(
  "%i waits with `pollIntervalMs: %o` have gaps of %i to %i ms",
  async (count, pollIntervalMs, shortest, longest) => {
    const ids = Array.from({ length: count }, (_, index) => `task-${index}`);
    const options = pollIntervalMs === undefined ? {} : { pollIntervalMs };
    const { gaps } = await gapsOfMany((client) => ids.map((id) => client.tasks.wait(id, options)));
    expect(gaps.length).toBeGreaterThanOrEqual((count * DONE_AT_MS) / longest);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(shortest);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(longest);
  },
);

test("twelve tasks that are created and awaited on one key are polled every 5 to 10 s from the start", async () => {
  const { gaps, tasks } = await gapsOfMany((client) =>
    Array.from({ length: 12 }, () => client.tasks.run(SONG_REQUEST)),
  );
  expect(tasks).toBe(12);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5000);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(10_000);
});

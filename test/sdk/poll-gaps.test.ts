import { expect, test } from "vitest";
import { seededRandom } from "../../scripts/pacing/random.js";
import { ok, refusal, succeeded, TASK_ID, task } from "../support/answers.js";
import { createWorld, type SeenRequest } from "../support/world.js";

// Limits: poll every 5 to 10 seconds.

const DONE_AT_MS = 120_000;

/** The times between the polls of one wait, the first counted from its beginning. */
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
  const times = requests.map(({ at }) => at);
  return times.map((at, index) => at - (times[index - 1] ?? 0));
}

test("on an idle key every gap, the first one included, is the shortest of the interval, with a little jitter", async () => {
  for (const gap of await gapsOf(() => null)) {
    expect(gap).toBeGreaterThanOrEqual(5000);
    expect(gap).toBeLessThanOrEqual(5500);
  }
});

test.each([1000, 7000])("with `pollIntervalMs: %i` no gap is shorter", async (pollIntervalMs) => {
  for (const gap of await gapsOf(() => null, { pollIntervalMs })) {
    expect(gap).toBeGreaterThanOrEqual(pollIntervalMs);
    expect(gap).toBeLessThanOrEqual(pollIntervalMs * 1.1);
  }
});

test("the jitter stays within an interval that leaves hardly any room for it", async () => {
  for (const gap of await gapsOf(() => null, { pollIntervalMs: [5000, 5001] })) {
    expect(gap).toBeGreaterThanOrEqual(5000);
    expect(gap).toBeLessThanOrEqual(5001);
  }
});

test("clients with other random numbers poll at other times", async () => {
  const first = await gapsOf(
    () => null,
    {},
    () => 0,
  );
  expect(first).not.toEqual(
    await gapsOf(
      () => null,
      {},
      () => 0.9,
    ),
  );
});

test("a failed read does not change a gap that one number states", async () => {
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
    if (index > 0 && isFailed(index - 1)) expect(gap).toBeGreaterThan(7000);
  }
});

test("`Retry-After` of a failed read is obeyed, up to a day", async () => {
  const stated = { "Retry-After": "9999999999" };
  const gaps = await gapsOf(
    (_, index) => (index === 0 ? refusal(503, "upstream_provider_error", stated) : null),
    { maxWaitMs: 100 * 86_400_000 },
  );
  expect(gaps[1]).toBe(86_400_000);
});

test("twelve waits on one key keep every gap within the interval", async () => {
  const polledAt = new Map<string, number>();
  const gaps: number[] = [];
  let [windowEndsAt, left] = [0, 0];
  const { client } = createWorld(
    ({ at, path }) => {
      if (at >= windowEndsAt) [windowEndsAt, left] = [at + 60_000, 120];
      gaps.push(at - (polledAt.get(path) ?? 0));
      polledAt.set(path, at);
      const fields = { task_id: path.split("/").at(-1) ?? "" };
      const headers = { "X-RateLimit-Remaining": String(--left) };
      return ok(at < DONE_AT_MS ? task(fields) : succeeded(fields), headers);
    },
    { random: seededRandom(1) },
  );
  const ids = Array.from(
    { length: 12 },
    (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
  );
  await Promise.all(ids.map((id) => client.tasks.wait(id)));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5000);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(10_000);
});

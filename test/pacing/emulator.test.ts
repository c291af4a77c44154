import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { expect, test } from "vitest";
import { burstBound, steadyBound } from "../../tools/pacing/bound.js";
import { TYPICAL } from "../../tools/pacing/durations.js";
import { seededRandom } from "../../tools/pacing/random.js";
import { USUAL_LIMIT } from "../../tools/pacing/service.js";

// The figures of the simulation hold against the emulator as well.

const SONG = {
  model: "provider_a",
  task_type: "music",
  input: { gpt_description_prompt: "rain in Lisbon" },
} as const;
const GAP_SECONDS = 5;

/** Waits for tasks whose durations follow the given distribution, and returns the results of the waits. */
function createLoad(seed: number) {
  const emulator = createEmulator({ seed, credits: 100_000 });
  const client = new AsyncMusic(emulator.connection());
  const chance = seededRandom(seed);
  const delays: number[] = [];

  async function run(): Promise<void> {
    emulator.providers.provider_a.next({
      outcome: "success",
      queue_seconds: 0,
      process_seconds: TYPICAL.draw(chance()),
    });
    const song = await client.tasks.run(SONG);
    delays.push((emulator.clock.now() - Date.parse(song.completed_at ?? "")) / 1000);
  }

  const refused = () => emulator.requests.filter(({ status }) => status === 429).length;
  const meanDelay = (from = 0) => {
    const counted = delays.slice(from);
    return counted.reduce((sum, delay) => sum + delay, 0) / counted.length;
  };
  return { emulator, run, refused, meanDelay };
}

test("a hundred concurrent runs end within twice the bound for tasks already in flight", async () => {
  const { emulator, run, refused, meanDelay } = createLoad(1);
  await Promise.all(Array.from({ length: 100 }, run));
  expect(refused()).toBe(0);
  expect(emulator.audit()).toEqual([]);
  expect(meanDelay()).toBeLessThan(2 * burstBound(TYPICAL, 100, USUAL_LIMIT, GAP_SECONDS));
});

test("the delay of tasks that start at random times is near the lowest possible one", async () => {
  const { emulator, run, refused, meanDelay } = createLoad(2);
  const chance = seededRandom(7);
  const runs: Promise<void>[] = [];
  for (let begun = 0; begun < 600; begun++) {
    runs.push(run());
    await emulator.clock.sleep((-Math.log(1 - chance()) / 0.3) * 1000);
  }
  await Promise.all(runs);
  expect(refused()).toBe(0);
  expect(emulator.audit()).toEqual([]);
  expect(meanDelay(200)).toBeLessThan(1.25 * steadyBound(TYPICAL, 0.3, USUAL_LIMIT, GAP_SECONDS));
});

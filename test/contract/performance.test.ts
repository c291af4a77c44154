import { describe, expect, it } from "vitest";
import { createEmulator } from "../../emulator/index.js";
import { AsyncMusic } from "../../src/index.js";
import { SONG } from "./world.js";

/**
 * The promise is under 50 ms on a quiet machine. This is ten times as much, for the quickest of some rounds, so that a busy
 * one does not fail: what it guards against is real waiting, and work that grows faster than the number of tasks.
 */
const GENEROUS_MS = 500;

const ROUNDS = 9;

describe("time skips", () => {
  it.each([1, 100])("minutes of service time pass in milliseconds, for %i runs at once", async (count) => {
    const rounds: { realMs: number; serviceMs: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(count));
    expect(Math.min(...rounds.map(({ serviceMs }) => serviceMs))).toBeGreaterThan(60_000);
    expect(Math.min(...rounds.map(({ realMs }) => realMs))).toBeLessThan(GENEROUS_MS);
  });
});

/** Real and service time of some runs at once, on a new emulator. */
async function measure(count: number): Promise<{ realMs: number; serviceMs: number }> {
  await using emulator = createEmulator({ seed: 1, credits: 10 * count });
  emulator.providers.provider_a.always({ queue_seconds: 10, process_seconds: 110 });
  const client = new AsyncMusic(emulator.connection());
  const beganAt = emulator.clock.now();
  const began = performance.now();
  await Promise.all(Array.from({ length: count }, () => client.tasks.run(SONG)));
  return { realMs: performance.now() - began, serviceMs: emulator.clock.now() - beganAt };
}

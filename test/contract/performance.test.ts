import { afterEach, describe, expect, it, vi } from "vitest";
import { createEmulator } from "../../emulator/index.js";
import { AsyncMusic } from "../../src/index.js";
import { SONG } from "./world.js";

// `npm run bench` measures milliseconds, which depend on the machine. These tests check what holds on every machine:
// no real-time waits, and work that grows no faster than the number of tasks.

const RUNS = 100;
const ROUNDS = 5;

afterEach(() => void vi.useRealTimers());

describe("time skips", () => {
  it.each([1, RUNS])("minutes pass without a real timer, for %i concurrent runs", async (count) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    expect(await skip(count)).toBeGreaterThan(60_000);
  });

  it("concurrent runs take no more work than the same number of single runs", async () => {
    const atOnce: number[] = [];
    const alone: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      atOnce.push(await workOf(() => skip(RUNS)));
      alone.push(
        await workOf(async () => {
          for (let run = 0; run < RUNS; run++) await skip(1);
        }),
      );
    }
    expect(Math.min(...atOnce)).toBeLessThan(Math.min(...alone));
  });
});

async function skip(count: number): Promise<number> {
  await using emulator = createEmulator({ seed: 1, credits: 10 * count });
  emulator.providers.provider_a.always({ queue_seconds: 10, process_seconds: 110 });
  const client = new AsyncMusic(emulator.connection());
  const beganAt = emulator.clock.now();
  await Promise.all(Array.from({ length: count }, () => client.tasks.run(SONG)));
  return emulator.clock.now() - beganAt;
}

/** The CPU time of this process in microseconds. */
async function workOf(act: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

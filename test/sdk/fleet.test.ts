import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { expect, test } from "vitest";
import { TYPICAL } from "../../scripts/pacing/law.js";
import { seededRandom } from "../../scripts/pacing/random.js";
import { createFleetPacer } from "../../src/redis/fleet-pacer.js";
import { createTestFleet } from "../support/fleet-budget.js";

const SIZE = { requests: 120, windowMs: 60_000 };
const SONG = { model: "provider_a", task_type: "music", input: { gpt_description_prompt: "rain in Lisbon" } } as const;

async function fleetOf(members: number, each: number, isShared: boolean, gapMs = 0) {
  await using emulator = createEmulator({ seed: 1, credits: 100_000 });
  const { clock } = emulator;
  const fleet = createTestFleet(clock, SIZE);
  const chance = seededRandom(3);
  const began = clock.now();
  const ends: number[] = [];
  const delays: number[] = [];
  const waits: number[] = [];
  await Promise.all(
    Array.from({ length: members }, async (_, m) => {
      const pacer = isShared ? createFleetPacer(clock, fleet(), SIZE, (e) => console.log(e)) : undefined;
      const client = new AsyncMusic({ ...emulator.connection(), pacer });
      await Promise.all(
        Array.from({ length: each }, async (_, n) => {
          if (gapMs) await clock.sleep(gapMs * (n + m / members));
          emulator.providers.provider_a.next({ outcome: "success", process_seconds: TYPICAL.draw(chance()), queue_seconds: 0 });
          const at = clock.now();
          const task = await client.tasks.run(SONG, { pollIntervalMs: 5000 });
          waits.push(Date.parse(task.created_at ?? "") - at);
          delays.push(clock.now() - Date.parse(task.completed_at ?? ""));
        }),
      );
      ends.push(clock.now() - began);
    }),
  );
  const mean = (a: number[]) => a.reduce((a, b) => a + b, 0) / a.length / 1000;
  const limited = emulator.requests.filter(({ status }) => status === 429).length;
  console.log(members, each, isShared, JSON.stringify({ limited, total: emulator.requests.length, audit: emulator.audit().length,
    mean: mean(delays), wait: mean(waits), ends: Math.max(...ends) / 1000 }));
  return { limited, ends };
}

test("x", async () => {
  await fleetOf(10, 10, true);
  await fleetOf(10, 50, true);
  await fleetOf(10, 60, true, 16670);
  await fleetOf(10, 60, true, 33330);
}, 240_000);

import { describe, expect, it } from "vitest";
import { createEmulator } from "../../emulator/index.js";
import { AsyncMusic, type SucceededTask } from "../../src/index.js";
import { CUSTOM_SONG, LYRICS, PROVIDER_B_SONG, SONG, UPLOAD } from "./world.js";

const MIX = [SONG, LYRICS, PROVIDER_B_SONG, UPLOAD, CUSTOM_SONG] as const;

/** Runs tasks of every type at once, and returns them with their ids and times. */
async function runMix(seed: number, count: number): Promise<SucceededTask[]> {
  await using emulator = createEmulator({ seed, credits: 10_000 });
  const client = new AsyncMusic(emulator.connection());
  const requests = Array.from({ length: count }, (_, index) => MIX[index % MIX.length] ?? SONG);
  return await Promise.all(requests.map((request) => client.tasks.run(request)));
}

describe("the same seed", () => {
  it("gives 100 concurrent runs the same ids, times and results", async () => {
    const [first, second] = [await runMix(7, 100), await runMix(7, 100)];
    expect(first).toHaveLength(100);
    expect(second).toEqual(first);
    expect(new Set(first.map(({ task_id: id }) => id)).size).toBe(100);
    for (const task of first) {
      expect(Date.parse(task.completed_at ?? "")).toBeGreaterThan(Date.parse(task.created_at ?? ""));
    }
  });

  it("gives the same results beside other emulators in the process", async () => {
    const alone = await runMix(7, 10);
    const [beside] = await Promise.all([runMix(7, 10), runMix(8, 10)]);
    expect(beside).toEqual(alone);
  });
});

describe("another seed", () => {
  it("gives other ids and other times", async () => {
    const [first, second] = [await runMix(7, 5), await runMix(8, 5)];
    const ids = [...first, ...second].map(({ task_id: id }) => id);
    expect(new Set(ids).size).toBe(10);
    expect(second.map((task) => task.completed_at)).not.toEqual(first.map((task) => task.completed_at));
  });
});

import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { expect, onTestFinished, test } from "vitest";
import { FleetPacer } from "../../src/databases/redis/fleet-pacer.js";
import type { SharedWindow } from "../../src/databases/redis/shared-window.js";
import { createSharedWindow } from "../../tools/pacing/shared-window.js";
import { SONG_REQUEST } from "../support/responses.js";

// Processes with one pacer share how long tasks took. A record on the emulator's clock replaces Redis.

const SIZE = { requests: 120, windowMs: 60_000 };
function createFleet() {
  const emulator = createEmulator({ seed: 1, credits: 10_000 });
  onTestFinished(() => emulator[Symbol.asyncDispose]());
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 0, process_seconds: 90 });
  const join = createSharedWindow(emulator.clock, SIZE);
  const errors: unknown[] = [];
  const member = (changes: Partial<SharedWindow> = {}) => {
    const fleet = Object.assign(join(), changes);
    const pacer = new FleetPacer(emulator.clock, fleet, SIZE, (error) => errors.push(error));
    return new AsyncMusic({ ...emulator.connection(), pacer });
  };
  const learn = async (client: AsyncMusic, songs: number) => {
    await Promise.all(Array.from({ length: songs }, () => client.tasks.run(SONG_REQUEST)));
    // What was found last is shared with the next request.
    await emulator.clock.advance(10_000);
    await client.account.balance();
  };
  return { emulator, member, learn, errors };
}

test("a process estimates by what another one has learned, also if it starts later", async () => {
  const { emulator, member, learn, errors } = createFleet();
  const [first, running] = [member(), member()];
  await running.account.balance();
  await learn(first, 60);
  const late = member();
  for (const client of [running, late]) {
    const submission = await client.tasks.create(SONG_REQUEST);
    await emulator.clock.advance(10);
    const estimate = client.tasks.estimate(submission);
    expect(estimate?.medianSeconds).toBeGreaterThan(75);
    expect(estimate?.medianSeconds).toBeLessThan(105);
  }
  expect(errors).toEqual([]);
});

test("what two processes have seen counts together, and nothing counts twice", async () => {
  const { emulator, member, learn } = createFleet();
  const [first, second] = [member(), member()];
  await learn(first, 12);
  await learn(second, 7);
  const known = async (client: AsyncMusic) =>
    client.tasks.estimate(await client.tasks.create(SONG_REQUEST)) !== null;
  const third = member();
  await third.account.balance();
  await emulator.clock.advance(10_000);
  // An estimate needs 20 ends, and the fleet has seen 19.
  expect(await known(third)).toBe(false);
  await emulator.clock.advance(10_000);
  await learn(second, 1);
  await third.account.balance();
  await emulator.clock.advance(10_000);
  expect(await known(third)).toBe(true);
});

test("a process that starts later finds its first ends earlier than one that learns nothing from others", async () => {
  const { emulator, member, learn } = createFleet();
  await learn(member(), 60);
  const timeOf = async (client: AsyncMusic) => {
    await client.account.balance();
    await emulator.clock.advance(70_000);
    const began = emulator.clock.now();
    await Promise.all(Array.from({ length: 60 }, () => client.tasks.run(SONG_REQUEST)));
    return emulator.clock.now() - began;
  };
  const taught = await timeOf(member());
  const alone = await timeOf(member({ exchangeEnds: async () => [] }));
  expect(taught).toBeLessThan(alone);
});

test.each([
  ["rejects", () => Promise.reject(new Error("no streams"))],
  ["never resolves", () => new Promise<never>(() => {})],
])("an exchange that %s changes nothing", async (_, exchangeEnds) => {
  const { emulator, member, errors } = createFleet();
  const client = member({ exchangeEnds });
  await Promise.all(Array.from({ length: 30 }, () => client.tasks.run(SONG_REQUEST)));
  expect(client.tasks.estimate(await client.tasks.create(SONG_REQUEST))?.medianSeconds).toBeGreaterThan(75);
  expect(emulator.requests.filter(({ status }) => status === 429)).toEqual([]);
  expect(errors).toEqual([]);
});

import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { redisPacer } from "async-music/redis";
import { expect, onTestFinished, test } from "vitest";
import { connectIoredis } from "./connections.js";

const MEMBERS = 10;
const SONGS_EACH = 6;
const LYRICS = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain in Lisbon" } } as const;

test("ten members of a fleet on one key: no 429, all work done, everybody gets their part", async () => {
  const limits = { requests: 60, windowSeconds: 2 };
  const emulator = createEmulator({ clock: "real", credits: 10_000, limits });
  emulator.providers.provider_a.always({ queue_seconds: 0, process_seconds: 1 });
  const { url: baseUrl, close } = await serve(emulator);
  onTestFinished(close);
  const prefix = `fleet-${process.pid}`;

  const began = Date.now();
  const work = Array.from({ length: MEMBERS }, async () => {
    const pacer = redisPacer(connectIoredis(), { prefix, ...limits });
    const client = new AsyncMusic({ apiKey: emulator.apiKey, baseUrl, pacer });
    const statuses: string[] = [];
    await Promise.all(
      Array.from({ length: SONGS_EACH }, async () => {
        const task = await client.tasks.run(LYRICS, { pollIntervalMs: 1000 });
        statuses.push(task.status);
      }),
    );
    return { statuses, tookMs: Date.now() - began };
  });
  const members = await Promise.all(work);

  expect(members.flatMap(({ statuses }) => statuses)).toEqual(Array(MEMBERS * SONGS_EACH).fill("success"));
  console.log(members.map((m) => m.tookMs), emulator.requests.length, emulator.requests.filter((r) => r.status === 429).length);
  console.log(emulator.requests.map((r) => `${new Date(r.at).getTime() - began} ${r.method}`).join(","));
  expect(emulator.requests.filter(({ status }) => status === 429)).toEqual([]);
  expect(emulator.audit()).toEqual([]);
});

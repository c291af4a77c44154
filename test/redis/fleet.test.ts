import { execFile } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { createEmulator, type LoggedRequest } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, onTestFinished, test } from "vitest";
import { redisSocket } from "./connections.js";

const PROCESSES = 10;
/** 220 requests: each member may leave a request or two of a window unused. */
const TASKS_EACH = 11;
const LIMITS = { requests: 80, windowSeconds: 4 };
const NO_LIMITS = { requests: 100_000, windowSeconds: 4 };

interface Said {
  statuses: string[];
  sent: number;
}

test("ten processes on one key finish all work without a 429, as fast as the key allows", async () => {
  const free = await runFleet(NO_LIMITS);
  const { members, requests, emulator } = await runFleet(LIMITS);

  expect(members.flatMap(({ statuses }) => statuses)).toEqual(Array(PROCESSES * TASKS_EACH).fill("success"));
  expect(members.reduce((sum, { sent }) => sum + sent, 0)).toBe(requests.length);
  expect(requests.filter(({ status }) => status === 429)).toEqual([]);
  expect(emulator.audit()).toEqual([]);

  // The machine determines the duration of the work itself. The key may only add its windows.
  const windows = Math.ceil(requests.length / LIMITS.requests);
  expect(secondsOf(requests) - secondsOf(free.requests)).toBeLessThan(windows * (LIMITS.windowSeconds + 2));
});

/** Runs a fleet whose members start together. Returns their output and the requests that arrived. */
async function runFleet(limits: typeof LIMITS) {
  const emulator = createEmulator({ clock: "real", credits: 10_000, limits });
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 0, process_seconds: 0 });
  const { url, close } = await serve(emulator);
  onTestFinished(close);

  const env = {
    ...process.env,
    ASYNC_MUSIC_BASE_URL: url,
    ASYNC_MUSIC_API_KEY: emulator.apiKey,
    REDIS_SOCKET: redisSocket(),
    FLEET: JSON.stringify({
      prefix: `fleet-${process.pid}-${limits.requests}`,
      tasks: TASKS_EACH,
      ...limits,
    }),
  };
  const flags = ["--import", "./tools/loader/run-sources.ts", "test/redis/member.ts"];
  const running = Array.from({ length: PROCESSES }, () =>
    promisify(execFile)(process.execPath, flags, { env }),
  );
  await Promise.all(running.map((each) => Promise.race([once(each.child.stdout ?? process, "data"), each])));
  for (const { child } of running) child.stdin?.write("begin");
  const members = (await Promise.all(running)).map(
    ({ stdout }): Said => JSON.parse(stdout.replace("ready\n", "")),
  );
  return { emulator, members, requests: emulator.requests };
}

function secondsOf(requests: readonly LoggedRequest[]): number {
  const times = requests.map(({ at }) => Date.parse(at));
  return (Math.max(...times) - Math.min(...times)) / 1000;
}

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, onTestFinished, test } from "vitest";
import { redisSocket } from "./connections.js";

const PROCESSES = 10;
const TASKS_EACH = 12;
const LIMITS = { requests: 80, windowSeconds: 2 };

/** What a process of the fleet says of itself. */
interface Said {
  statuses: string[];
  sent: number;
}

test("ten processes on one key: no 429, all work done, and no slower than the key allows", async () => {
  const emulator = createEmulator({ clock: "real", credits: 10_000, limits: LIMITS });
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 0, process_seconds: 0 });
  const { url, close } = await serve(emulator);
  onTestFinished(close);

  const env = {
    ...process.env,
    ASYNC_MUSIC_BASE_URL: url,
    ASYNC_MUSIC_API_KEY: emulator.apiKey,
    REDIS_SOCKET: redisSocket(),
    FLEET: JSON.stringify({ prefix: `fleet-${process.pid}`, tasks: TASKS_EACH, ...LIMITS }),
  };
  const member = async (): Promise<Said> => {
    const flags = ["--import", "./scripts/run-sources.ts", "test/redis/member.ts"];
    const { stdout } = await promisify(execFile)(process.execPath, flags, { env });
    return JSON.parse(stdout);
  };
  const members = await Promise.all(Array.from({ length: PROCESSES }, member));

  const { requests } = emulator;
  expect(members.flatMap(({ statuses }) => statuses)).toEqual(Array(PROCESSES * TASKS_EACH).fill("success"));
  expect(members.reduce((sum, { sent }) => sum + sent, 0)).toBe(requests.length);
  expect(requests.filter(({ status }) => status === 429)).toEqual([]);
  expect(emulator.audit()).toEqual([]);

  const times = requests.map(({ at }) => Date.parse(at));
  const tookSeconds = (Math.max(...times) - Math.min(...times)) / 1000;
  const windows = Math.ceil(requests.length / LIMITS.requests);
  expect(tookSeconds).toBeLessThan((windows + 1) * (LIMITS.windowSeconds + 1));
});

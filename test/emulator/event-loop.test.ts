import { AsyncMusic } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { setupServer } from "msw/node";
import { expect, onTestFinished, test } from "vitest";
import { BALANCE, postOf, TASK, VALID } from "./support/service.js";

const LIMITS = { requests: 1_000_000 };

/** Loops of clients that never sleep, by what they repeat. */
const LOOPS: Readonly<Record<string, (emulator: Emulator) => () => Promise<unknown>>> = {
  "polls of a task": (emulator) => {
    const created = emulator.fetch(emulator.url + TASK, postOf({ emulator }, VALID.song));
    const headers = { "x-api-key": emulator.apiKey };
    return async () => {
      const { data } = await (await created).clone().json();
      return (await emulator.fetch(`${emulator.url}${TASK}/${data.task_id}`, { headers })).json();
    };
  },
  "reads with the SDK": (emulator) => {
    const client = new AsyncMusic(emulator.connection());
    return () => client.account.balance();
  },
  "requests through MSW": (emulator) => {
    const server = setupServer(...emulatorHandlers(emulator));
    server.listen();
    onTestFinished(() => server.close());
    return async () => (await fetch(emulator.url + BALANCE)).text();
  },
  "requests to another address": (emulator) => () => emulator.fetch("https://example.com").catch(() => {}),
  "requests after the emulator was disposed": (emulator) => {
    void emulator[Symbol.asyncDispose]();
    return () => emulator.fetch(emulator.url + BALANCE).catch(() => {});
  },
  "requests with an aborted signal": (emulator) => {
    const signal = AbortSignal.abort();
    return () => emulator.fetch(emulator.url + BALANCE, { signal }).catch(() => {});
  },
};

test.each(Object.entries(LOOPS))("a loop without sleeps does not block timers: %s", async (_, open) => {
  const request = open(createEmulator({ limits: LIMITS }));
  await request();
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  });
  let requests = 0;
  while (!isOver && requests < 1_000) {
    await request();
    requests++;
  }
  expect(requests).toBeLessThan(1_000);
});

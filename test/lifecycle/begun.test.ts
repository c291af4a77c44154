import { once } from "node:events";
import { createServer } from "node:net";
import { createEmulator } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { MemoryPacer } from "../../src/rate-limit/memory-pacer.js";
import { createTestClock, turns } from "../support/test-clock.js";
import { leftOpen } from "./begun.js";

// Were something not seen, no test would fail by it.

const HOUR = 3_600_000;
const onAbort = () => {};

/** Begins something, and returns what ends it. */
type Begin = () => (() => unknown) | Promise<() => unknown>;

const BEGINNINGS: [what: string, begin: Begin][] = [
  [
    "a timer",
    () => {
      const timer = setTimeout(() => {}, HOUR);
      return () => clearTimeout(timer);
    },
  ],
  [
    "a timer",
    () => {
      const timer = setInterval(() => {}, HOUR);
      return () => clearInterval(timer);
    },
  ],
  [
    "a listener on a signal",
    () => {
      const { signal } = new AbortController();
      signal.addEventListener("abort", onAbort);
      return () => signal.removeEventListener("abort", onAbort);
    },
  ],
  [
    "a listener of the process",
    () => {
      process.on("SIGUSR2", onAbort);
      return () => process.off("SIGUSR2", onAbort);
    },
  ],
  [
    "a server",
    async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return () => server.close();
    },
  ],
  [
    "a request in the queue of a pacer",
    () => {
      const pacer = new MemoryPacer(createTestClock({ skips: false }));
      const leaving = new AbortController();
      const request = { kind: "read", notBefore: createTestClock().now() + HOUR } as const;
      pacer.admit(request, leaving.signal).catch(() => {});
      return () => leaving.abort();
    },
  ],
  [
    "a sleep on the clock of an emulator",
    () => {
      const leaving = new AbortController();
      createEmulator({ clock: "real" })
        .clock.sleep(HOUR, leaving.signal)
        .catch(() => {});
      return () => leaving.abort();
    },
  ],
  [
    "a request, a stream or a listener of an emulator",
    async () => {
      const emulator = createEmulator();
      const { body } = await emulator.fetch(`${emulator.url}/_emulator/requests/stream`);
      return () => body?.cancel();
    },
  ],
  ["a request, a stream or a listener of an emulator", () => createEmulator().onRequest(() => {})],
];

test.each(BEGINNINGS)("%s is seen until it ends", async (what, begin) => {
  expect(leftOpen()).toEqual([]);
  const end = await begin();
  expect(leftOpen().some((left) => left.startsWith(what))).toBe(true);
  await end();
  await turns(2);
  expect(leftOpen()).toEqual([]);
});

test("a timer that has called back is not open", async () => {
  await new Promise<void>((resolve) => setTimeout(resolve, 1));
  expect(leftOpen()).toEqual([]);
});

// A check after one of them would see the timers of the others.
describe("of concurrent tests", () => {
  test.concurrent.for([3000, 1])(
    "one may go on while another has ended: %s turns",
    async (count, context) => {
      const timer = setInterval(onAbort, HOUR);
      context.onTestFinished(() => clearInterval(timer));
      await turns(count);
    },
  );
});

import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { createEmulator, type Emulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, test } from "vitest";
import { coreOf } from "../../emulator/http/service.js";
import { reasonOf } from "../support/rejection.js";

// An aborted request leaves no callback and no listener in the emulator.

const COUNT = 1000;

function waiting(emulator: Emulator): { callbacks: number; listeners: number } {
  const { closing, replaceListeners, closeListeners } = coreOf(emulator);
  return {
    callbacks: replaceListeners.size + closeListeners.size,
    listeners: getEventListeners(closing, "abort").length,
  };
}

test.each([
  ["stalled", { kind: "stall" }],
  ["delayed", { kind: "latency", ms: 3_600_000 }],
] as const)("a thousand aborted, %s requests leave no callback and no listener", async (_, fault) => {
  await using emulator = createEmulator({ clock: "real" });
  const before = waiting(emulator);
  emulator.faults.add({ times: COUNT, fault });
  const controller = new AbortController();
  const reasons = Array.from({ length: COUNT }, () =>
    reasonOf(emulator.fetch(`${emulator.url}/api/v1/account/balance`, { signal: controller.signal })),
  );
  while (emulator.faults.list().length > 0) await setImmediate();
  // One listener for all: an `EventTarget` compares each new listener with all others.
  expect(waiting(emulator).listeners).toBe(before.listeners);
  expect(waiting(emulator).callbacks).toBeGreaterThanOrEqual(COUNT);
  controller.abort(new Error("left"));
  await Promise.all(reasons);
  if (fault.kind === "latency") emulator.reset();
  await setImmediate();
  expect(waiting(emulator)).toEqual(before);
});

test("a hundred stalled requests that are aborted on a port leave nothing behind", async () => {
  await using emulator = createEmulator({ clock: "virtual" });
  await using server = await serve(emulator);
  const before = waiting(emulator);
  emulator.faults.add({ times: 100, fault: { kind: "stall" } });
  const controller = new AbortController();
  const reasons = Array.from({ length: 100 }, () =>
    reasonOf(fetch(`${server.url}/api/v1/account/balance`, { signal: controller.signal })),
  );
  while (waiting(emulator).callbacks < before.callbacks + 100) await setImmediate();
  controller.abort(new Error("left"));
  await Promise.all(reasons);
  while (waiting(emulator).callbacks > before.callbacks) await setImmediate();
  expect(waiting(emulator)).toEqual(before);
});

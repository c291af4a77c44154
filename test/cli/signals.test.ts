import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onSignals } from "../../cli/signals.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

function createSource() {
  const source = new EventEmitter();
  const heard: string[] = [];
  const stop = onSignals(source as never, (signal) => void heard.push(signal));
  const send = (signal: string) => source.emit(signal, signal);
  return { heard, stop, send };
}

test.each([0, 5, 199])(
  "a signal that is repeated after %i ms is one signal, also after the last listener has left",
  async (ms) => {
    const { heard, stop, send } = createSource();
    send("SIGINT");
    stop();
    await vi.advanceTimersByTimeAsync(ms);
    // Nobody else listens: otherwise the process would end here.
    expect(send("SIGINT")).toBe(true);
    expect(heard).toEqual(["SIGINT"]);
  },
);

test("a later signal is another one, and ends the process if nobody listens", async () => {
  const { heard, stop, send } = createSource();
  send("SIGINT");
  await vi.advanceTimersByTimeAsync(200);
  send("SIGTERM");
  expect(heard).toEqual(["SIGINT", "SIGTERM"]);
  stop();
  await vi.advanceTimersByTimeAsync(200);
  expect(send("SIGTERM")).toBe(false);
});

test("without a signal, listening ends at once", () => {
  const { stop, send } = createSource();
  stop();
  expect(["SIGINT", "SIGTERM", "SIGHUP"].map(send)).toEqual([false, false, false]);
});

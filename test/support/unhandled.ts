import { onTestFinished, vi } from "vitest";

/** Calls the listener with each unhandled rejection until the test ends. */
export function watchUnhandledRejections() {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  onTestFinished(() => void process.off("unhandledRejection", unhandled));
  return unhandled;
}

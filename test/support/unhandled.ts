import { onTestFinished, vi } from "vitest";

/** Is called with each rejection that nothing handles until the test ends. */
export function watchUnhandledRejections() {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  onTestFinished(() => void process.off("unhandledRejection", unhandled));
  return unhandled;
}

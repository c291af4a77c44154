import { beforeEach } from "vitest";
import { leftOpen, watch } from "./begun.js";

/** Real time in which what was canceled ends, also on a database of this machine that is tried again after a lock. */
const GRACE_MS = 3000;

// Taken before a test replaces it.
const { setImmediate } = globalThis;
const now = performance.now.bind(performance);

let running = 0;

// Of concurrent tests, the function that is imported may be another test's.
beforeEach(({ onTestFinished }) => {
  // Concurrent tests are checked when the last of them has ended.
  if (running++ === 0) watch();
  // Called last: after the test's own, and after `afterEach`.
  onTestFinished(async () => {
    if (--running > 0) return;
    const until = now() + GRACE_MS;
    while (now() < until && leftOpen().length > 0) await new Promise((resolve) => setImmediate(resolve));
    const left = leftOpen();
    if (left.length > 0) throw new Error(`The test has ended, and has left open:\n${left.join("\n")}`);
  });
});

import { beforeEach } from "vitest";
import { leftOpen, watch } from "./begun.js";

/** Turns of the event loop in which what was canceled ends, also on connections of this machine. */
const TURNS = 1000;

// Taken before a test replaces it.
const { setImmediate } = globalThis;

let running = 0;

// Of concurrent tests, the function that is imported may be another test's.
beforeEach(({ onTestFinished }) => {
  // Concurrent tests are checked when the last of them has ended.
  if (running++ === 0) watch();
  // Called last: after the test's own, and after `afterEach`.
  onTestFinished(async () => {
    if (--running > 0) return;
    for (let turn = 0; turn < TURNS && leftOpen().length > 0; turn++)
      await new Promise((resolve) => setImmediate(resolve));
    const left = leftOpen();
    if (left.length > 0) throw new Error(`The test has ended, and has left open:\n${left.join("\n")}`);
  });
});

import { beforeEach, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index.js";
import { createProgressLine } from "../../src/cli/progress.js";
import { createTerminal } from "./support/terminal.js";

let emulator: Emulator;
beforeEach(() => {
  emulator = createEmulator({ seed: 1, credits: 100 });
  return () => emulator[Symbol.asyncDispose]();
});

const timeOf = (at: number) => new Date(at).toTimeString().slice(0, 8);

test.each([
  [true, (until: string) => `  ⠋ waiting for the rate limit until ${until}  0:00`.trim()],
  [false, (until: string) => `0:00 waiting for the rate limit until ${until}\n`],
])("a 429 is shown with the time at which it ends, on a terminal %s", async (isTerminal, shown) => {
  const fault = { kind: "status", status: 429, retry_after_seconds: 30, when: "before" } as const;
  emulator.faults.add({ method: "POST", fault });
  const until = emulator.clock.now() + 30_000;
  const { run } = createTerminal(emulator, { isTerminal, env: { NO_COLOR: "1" } });
  const { status, stderr } = await run("run", "lyrics", "--prompt", "sea", "--no-download");
  expect([status, stderr]).toEqual([0, expect.stringContaining(shown(timeOf(until)))]);
});

test("a window that is used up is shown with the time at which it ends, and no longer", () => {
  let written = "";
  const output = { isTerminal: true, columns: () => 80, write: (text: string) => (written += text) };
  const terminal = { env: { NO_COLOR: "1" }, stdin: async function* () {}, onSignal: () => () => {} };
  const resetAt = new Date(60_000);
  let now = 0;
  const line = createProgressLine(
    { ...terminal, stdout: output, stderr: output },
    () => now,
    () => ({ limit: 120, remaining: 0, resetAt, heldUntil: null }),
  );
  line.pause(resetAt);
  expect(written).toContain(`waiting for the rate limit until ${timeOf(60_000)}`);
  written = "";
  now = 60_000;
  line.pause(resetAt);
  line.end();
  expect(written).toContain(" waiting  1:00");
});

import { progressOf, type Task } from "async-music";
import { expect, test } from "vitest";
import { createProgressLine } from "../../src/cli/progress.js";

const LIMIT = { limit: 120, remaining: 120, resetAt: null, heldUntil: null };

/** What the line of a terminal shows for a task. */
function drawn(shown: Parameters<typeof progressOf>[0]): string {
  let written = "";
  const output = { isTerminal: true, columns: () => 80, write: (text: string) => (written += text) };
  const terminal = { env: { NO_COLOR: "1" }, stdin: async function* () {}, onSignal: () => () => {} };
  const line = createProgressLine(
    { ...terminal, stdout: output, stderr: output },
    () => 0,
    () => LIMIT,
  );
  // The line reads nothing else of a task.
  line.show(shown as Task);
  line.end();
  return written.replaceAll("\r\u001B[2K", "");
}

test.each([
  ["42%", 42],
  ["Rendering: 42,4 %", 42],
  ["42", 42],
  ["250%", 100],
])("the line shows the progress %j as %i %%, with a bar", (progress, percent) => {
  const running = { status: "running", output: { progress } };
  expect(Math.round(100 * progressOf(running))).toBe(percent);
  expect(drawn(running)).toMatch(new RegExp(`^⠋ running +${percent} %  0:00 ━+─*$`));
});

test.each(["queued", "0%", null])("the line shows no percentage for the progress %j", (progress) => {
  expect(drawn({ status: "running", output: { progress } })).toBe("⠋ running  0:00");
});

test("the line shows a succeeded task as 100 %", () => {
  expect(drawn({ status: "success", output: {} })).toMatch(/^⠋ success 100 % {2}0:00 ━+$/);
});

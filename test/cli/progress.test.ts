import { AsyncMusic, progressOf, type Task } from "async-music";
import { expect, onTestFinished, test, vi } from "vitest";
import { ProgressLine } from "../../cli/progress.js";
import { createEmulator } from "../../emulator/index.js";
import { createTerminal, recordingTerminal } from "./support/terminal.js";

const ONE_REQUEST = { seed: 1, credits: 100, limits: { requests: 1, windowSeconds: 60 } };

function createProgress(now = () => 0) {
  const { terminal, written } = recordingTerminal({ isTerminal: true, env: { NO_COLOR: "1" } });
  return { progress: new ProgressLine(terminal, now), written };
}

function drawn(task: Parameters<typeof progressOf>[0]): string {
  const { progress, written } = createProgress();
  // The line reads only these fields of a task.
  progress.show(task as Task);
  progress.line.end();
  return written.stderr.replaceAll("\r\u001B[2K", "");
}

test.each([
  ["42%", 42],
  ["Rendering: 42,4 %", 42],
  ["42", 42],
  ["250%", 100],
])("the progress %j is shown as %i %%, with a bar", (progress, percent) => {
  const running = { status: "running", output: { progress } };
  expect(Math.round(100 * progressOf(running))).toBe(percent);
  expect(drawn(running)).toMatch(new RegExp(`^⠋ running +${percent} %  0:00 ━+─*$`));
});

test.each(["queued", "0%", null])("the progress %j is shown without a percentage", (progress) => {
  expect(drawn({ status: "running", output: { progress } })).toBe("⠋ running  0:00");
});

test("a succeeded task is shown as 100 %", () => {
  expect(drawn({ status: "success", output: {} })).toMatch(/^⠋ success 100 % {2}0:00 ━+$/);
});

test.each([
  [40.4, "about 40 seconds left"],
  [7.2, "about 8 seconds left"],
  [0.2, "about to end"],
  [0.999, "about to end"],
  [1, "about 1 second left"],
  [87, "about 85 seconds left"],
  [130, "about 2 minutes left"],
])("a task that takes %d s more is shown as %j", (medianSeconds, text) => {
  const { progress, written } = createProgress();
  const estimate = { medianSeconds, p90Seconds: 500 };
  const task = { status: "running", output: null };
  progress.show(task, () => estimate);
  progress.show({ ...task, status: "success" }, () => estimate);
  progress.line.end();
  const drawings = written.stderr.split("\r\u001B[2K");
  expect(drawings[1]).toBe(`⠋ running  0:00, ${text}`);
  expect(drawings[2]).not.toContain(text);
});

const timeOf = (at: number) => new Date(at).toTimeString().slice(0, 8);

test.each([
  [true, (until: string) => `⠋ waiting for the rate limit until ${until}  0:00`],
  [false, (until: string) => `0:00 waiting for the rate limit until ${until}\n`],
])("a 429 is shown with the end of its wait, on a terminal: %s", async (isTerminal, shown) => {
  await using emulator = createEmulator({ seed: 1, credits: 100 });
  const fault = { kind: "status", status: 429, retry_after_seconds: 30, when: "before" } as const;
  emulator.faults.add({ method: "POST", fault });
  const until = emulator.clock.now() + 30_000;
  const { lyrics } = createTerminal(emulator, { isTerminal, env: { NO_COLOR: "1" } });
  const { status, stderr } = await lyrics("--no-download");
  expect([status, stderr]).toEqual([0, expect.stringContaining(shown(timeOf(until)))]);
});

test.each([
  [true, (until: string) => ` waiting for the rate limit until ${until} `],
  [false, (until: string) => ` waiting for the rate limit until ${until}\n`],
])("a request that waits for the next window is shown once, on a terminal: %s", async (isTerminal, shown) => {
  // On a slow machine, the line would be drawn again meanwhile.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  await using emulator = createEmulator(ONE_REQUEST);
  const startedAt = emulator.clock.now();
  const { lyrics } = createTerminal(emulator, { isTerminal, env: { NO_COLOR: "1" } });
  const { status, stderr } = await lyrics("--no-download");
  expect([status, stderr.split(shown(timeOf(startedAt + 60_000))).length]).toEqual([0, 2]);
});

test.each(["balance", "usage"])("`%s` says once how long it waits for the rate limit", async (command) => {
  await using emulator = createEmulator({ seed: 1, credits: 100 });
  const fault = { kind: "status", status: 429, retry_after_seconds: 30, when: "before" } as const;
  emulator.faults.add({ method: "GET", fault });
  const until = emulator.clock.now() + 30_000;
  const { run } = createTerminal(emulator);
  const { status, stdout, stderr } = await run(command, "--json");
  expect([status, stderr]).toEqual([0, `waiting for the rate limit until ${timeOf(until)}\n`]);
  expect(JSON.parse(stdout)).toBeTypeOf("object");
});

test("`balance` does not say that it waits for longer than it does", async () => {
  await using emulator = createEmulator({ seed: 1, credits: 100 });
  const fault = { kind: "status", status: 429, retry_after_seconds: 3600, when: "before" } as const;
  emulator.faults.add({ method: "GET", fault });
  const { status, stderr } = await createTerminal(emulator).run("balance");
  expect([status, stderr]).toEqual([7, expect.not.stringContaining("waiting")]);
});

test("a window that is used up is not shown while no request is due", async () => {
  await using emulator = createEmulator(ONE_REQUEST);
  const { task_id } = await new AsyncMusic(emulator.connection()).tasks.create({
    model: "provider_a",
    task_type: "lyrics",
    input: { prompt: "sea" },
  });
  await emulator.clock.advance(600_000);
  const { run } = createTerminal(emulator, { isTerminal: true, env: { NO_COLOR: "1" } });
  const { status, stderr } = await run("wait", task_id, "--no-download");
  expect(status).toBe(0);
  expect(stderr).toContain("success 100 %");
  expect(stderr).not.toContain("rate limit");
});

test("a delay is shown until it ends", () => {
  const resetAt = new Date(60_000);
  let now = 0;
  const { progress, written } = createProgress(() => now);
  progress.delay(resetAt);
  expect(written.stderr).toContain(`waiting for the rate limit until ${timeOf(60_000)}`);
  written.stderr = "";
  now = 60_000;
  progress.delay(resetAt);
  progress.line.end();
  expect(written.stderr).toContain(" waiting  1:00");
});

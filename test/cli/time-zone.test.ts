import { expect, onTestFinished, test, vi } from "vitest";
import { ProgressLine } from "../../cli/progress.js";
import { recordingTerminal } from "./support/terminal.js";

const NEW_YEAR = Date.parse("2026-01-01T00:00:00Z");

test.each([
  ["UTC", "00:00:00"],
  ["Asia/Kathmandu", "05:45:00"],
  ["America/St_Johns", "20:30:00"],
])("a delay by the rate limit is shown in the local time of %s", (zone, time) => {
  vi.stubEnv("TZ", zone);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { terminal, written } = recordingTerminal();
  new ProgressLine(terminal, () => NEW_YEAR - 60_000).delay(new Date(NEW_YEAR));
  expect(written.stderr).toBe(`0:00 waiting for the rate limit until ${time}\n`);
});

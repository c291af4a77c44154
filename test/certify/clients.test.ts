import { spawnSync } from "node:child_process";
import { delimiter, resolve } from "node:path";
import { expect, test } from "vitest";
import type { CertifyReport } from "../../cli/certify/report.js";
import { runProgram } from "../../cli/program.js";
import { recordingTerminal } from "../cli/support/terminal.js";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

/** A client that never ends in some scenarios is stopped after this time. */
const ENDLESS = "15s";

/** Certifies a program. Where Python or a shell would sleep, the clock of the emulator moves instead. */
async function certify(
  timeout: string,
  ...command: string[]
): Promise<{ status: number; report: CertifyReport }> {
  const env = {
    ...process.env,
    PATH: [resolve("test/certify/support/bin"), process.env["PATH"]].join(delimiter),
    PYTHONPATH: resolve("test/certify/support"),
  };
  const { terminal, written } = recordingTerminal({ env });
  const status = await runProgram(["certify", "--json", "--timeout", timeout, "--", ...command], terminal);
  return { status, report: JSON.parse(written.stdout) };
}

function failedIn({ scenarios }: CertifyReport): string[] {
  return scenarios.filter(({ result }) => result === "failed").map(({ name }) => name);
}

test.skipIf(!hasPython)("the example in Python passes all scenarios (needs python3)", async () => {
  const { status, report } = await certify("30s", "python3", "examples/python/certified_song.py");
  expect(failedIn(report)).toEqual([]);
  expect([status, report.certified]).toEqual([0, true]);
});

/** Expects a client to fail, in these scenarios and in no others. */
async function expectFailed(names: string, timeout: string, ...command: string[]): Promise<void> {
  const { status, report } = await certify(timeout, ...command);
  expect([status, report.certified]).toEqual([1, false]);
  expect(failedIn(report)).toEqual(names.trim().split(/\s+/));
}

test.skipIf(!hasPython)("a client that retries everything fails (needs python3)", async () => {
  const failed = `
    create-lost-response create-broken-connection create-502 create-500 create-gateway-page
    create-cut-response create-slow-response create-408 create-400
    poll-pace read-cut-response
    create-429-wait create-429-twice read-429
    failure-moderation failure-prose failure-unknown-code failure-wait failure-report
    audio-provider-format audio-404 audio-403 audio-provider audio-no-clips
    invalid-key key-deleted insufficient-credits suspended-account task-not-found`;
  await expectFailed(failed, ENDLESS, "python3", "test/certify/clients/retries_everything.py");
});

test("a client that ignores statuses fails", async () => {
  const failed = `
    create-lost-response create-broken-connection create-502 create-500 create-gateway-page
    create-cut-response create-408 create-400
    poll-interval poll-pace read-500 read-broken-connection read-cut-response read-gateway-page task-timeout
    create-429-wait create-429-twice create-429-song read-429
    failure-moderation failure-prose failure-unknown-code failure-retryable failure-wait failure-report
    audio-format audio-url-extension audio-500 audio-cut audio-404 audio-403 audio-provider audio-no-clips
    title-characters unknown-status
    invalid-key key-deleted insufficient-credits suspended-account task-not-found`;
  await expectFailed(failed, ENDLESS, process.execPath, "test/certify/clients/ignores-statuses.mjs");
});

test.skipIf(!hasCurl)("a script with curl fails (needs curl)", async () => {
  const failed = `
    create-lost-response create-broken-connection create-502 create-500 create-gateway-page create-408
    create-400
    task-timeout
    failure-moderation failure-prose failure-unknown-code failure-retryable failure-wait failure-report
    audio-format audio-500 audio-cut audio-404 audio-403 audio-no-clips
    invalid-key key-secrecy key-deleted insufficient-credits suspended-account task-not-found`;
  // It starts many processes: a busy machine needs longer for a scenario that ends.
  await expectFailed(failed, "25s", "sh", "test/certify/clients/curl.sh");
});

import { spawnSync } from "node:child_process";
import { delimiter, resolve } from "node:path";
import { expect, test } from "vitest";
import type { CertifyReport } from "../../cli/certify/report.js";
import { runProgram } from "../../cli/program.js";
import { recordingTerminal } from "../cli/support/terminal.js";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

/** A client that never ends in some scenarios is stopped after this time. */
const ENDLESS = ["--timeout", "15s"];

/** Certifies a program. Where Python or a shell would sleep, the clock of the emulator moves instead. */
async function certify(
  flags: readonly string[],
  ...command: string[]
): Promise<{ status: number; report: CertifyReport }> {
  const env = {
    ...process.env,
    PATH: [resolve("test/certify/support/bin"), process.env["PATH"]].join(delimiter),
    PYTHONPATH: resolve("test/certify/support"),
  };
  const { terminal, written } = recordingTerminal({ env });
  const status = await runProgram(["certify", "--json", ...flags, "--", ...command], terminal);
  return { status, report: JSON.parse(written.stdout) };
}

function failedIn({ scenarios }: CertifyReport): string[] {
  return scenarios.filter(({ result }) => result === "failed").map(({ name }) => name);
}

test.skipIf(!hasPython)("the example in Python passes all scenarios (needs python3)", async () => {
  const { status, report } = await certify(
    ["--timeout", "30s"],
    "python3",
    "examples/python/certified_song.py",
  );
  expect(failedIn(report)).toEqual([]);
  expect([status, report.certified]).toEqual([0, true]);
});

/** Expects a client to fail, in these scenarios and in no others. */
async function expectFailed(names: string, flags: readonly string[], ...command: string[]): Promise<void> {
  const { status, report } = await certify(flags, ...command);
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

/** Where a script differs from the other clients, and some of what it gets right. Its many processes take long. */
const OF_A_SCRIPT = [
  ...["song", "create-429-wait", "poll-interval", "create-lost-response", "create-gateway-page"],
  ...["task-timeout", "audio-404", "invalid-key", "key-secrecy"],
].flatMap((name) => ["--only", name]);

test.skipIf(!hasCurl)("a script with curl fails (needs curl)", async () => {
  const failed = "create-lost-response create-gateway-page task-timeout audio-404 invalid-key key-secrecy";
  // A busy machine needs longer for a scenario that ends.
  await expectFailed(failed, ["--timeout", "25s", ...OF_A_SCRIPT], "sh", "test/certify/clients/curl.sh");
});

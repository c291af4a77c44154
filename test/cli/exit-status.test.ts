import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { expect, test } from "vitest";
import { EXIT_STATUSES, exitStatusOf, Interrupted, report } from "../../src/cli/report.js";
import { UsageError } from "../../src/cli/terminal.js";
import * as sdk from "../../src/index.js";

const classes = Object.entries(sdk).filter(([name]) => name.endsWith("Error"));

const anError = (kind: object): unknown => Object.create(Reflect.get(kind, "prototype"));

test.each(
  Object.entries({
    AsyncMusicError: 1,
    ApiError: 1,
    InvalidOptionError: 2,
    InvalidRequestError: 3,
    BadRequestError: 3,
    JournalConflictError: 3,
    AuthenticationError: 4,
    AccountSuspendedError: 4,
    InsufficientCreditsError: 5,
    CreditCeilingError: 5,
    TaskNotFoundError: 6,
    RateLimitedError: 7,
    ServerError: 8,
    ConnectionError: 8,
    RequestTimeoutError: 8,
    SubmissionOutcomeUnknownError: 9,
    TaskFailedError: 10,
    TaskTimedOutError: 11,
    WaitTimeoutError: 12,
    AudioExpiredError: 13,
    AudioDownloadError: 14,
    InvalidResponseError: 15,
    JournalError: 16,
    JournalDamagedError: 16,
  }),
)("%s is exit status %i", (name, status) => {
  const [, kind] = classes.find(([each]) => each === name) ?? [];
  expect(exitStatusOf(anError(Object(kind)))).toBe(status);
});

test("every error class of the SDK has an exit status", () => {
  const listed: unknown[] = EXIT_STATUSES.flatMap(([, ...classes]) => classes);
  expect(classes.filter(([, kind]) => !listed.includes(kind)).map(([name]) => name)).toEqual([]);
});

test("another error is status 1, a misuse 2, and a signal the status that a shell gives it", () => {
  expect(exitStatusOf(new Error("disk full"))).toBe(1);
  expect(exitStatusOf("thrown")).toBe(1);
  expect(exitStatusOf(new UsageError("unknown flag"))).toBe(2);
  expect(exitStatusOf(new Interrupted("SIGHUP"))).toBe(129);
  expect(exitStatusOf(new Interrupted("SIGINT"))).toBe(130);
  expect(exitStatusOf(new Interrupted("SIGTERM"))).toBe(143);
});

test("the guide has the same table", () => {
  const table = EXIT_STATUSES.map(([status, ...classes]) => [
    String(status),
    classes.map(({ name }) => name).sort(),
  ]);
  expect(Object.fromEntries(documentedNames())).toMatchObject(Object.fromEntries(table));
});

test.each([
  new UsageError("unknown flag"),
  new Interrupted("SIGINT"),
  new TypeError("not a function"),
  new DOMException("stopped", "AbortError"),
  Object.assign(new Error("no space"), { code: "ENOSPC", name: "SystemError" }),
  new CommanderError(1, "commander.unknownOption", "error: unknown option '--x'"),
  "thrown",
  null,
])("--json names %o as in the guide's table", (thrown) => {
  let stdout = "";
  const output = (write: (text: string) => void) => ({ isTerminal: false, columns: () => 80, write });
  const terminal = { env: {}, stdout: output((text) => (stdout += text)), stderr: output(() => {}) };
  report(thrown, true, { ...terminal, stdin: async function* () {}, onSignal: () => () => {} });
  expect(documentedNames().flatMap(([, names]) => names)).toContain(JSON.parse(stdout).error.name);
});

/** Each status of the guide's table and the names of its errors. */
function documentedNames(): [status: string, names: string[]][] {
  const guide = readFileSync("docs/cli.md", "utf8");
  return [...guide.matchAll(/^\| (\d[\d, ]*) \|.*\| (.*) \|$/gm)].map(([, status = "", names = ""]) => [
    status,
    [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name).sort(),
  ]);
}

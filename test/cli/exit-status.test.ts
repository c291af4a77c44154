import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EXIT_TABLE, exitStatusOf } from "../../src/cli/exit-table.js";
import { Interrupted } from "../../src/cli/tasks/interruption.js";
import { UsageError } from "../../src/cli/usage-error.js";
import * as sdk from "../../src/index.js";

const classes = Object.entries(sdk).filter(([name]) => name.endsWith("Error"));

/** What an error of this class is, without what it would need to be made. */
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
  }),
)("%s is exit status %i", (name, status) => {
  const [, kind] = classes.find(([each]) => each === name) ?? [];
  expect(exitStatusOf(anError(Object(kind)))).toBe(status);
});

test("no class of the SDK's is forgotten", () => {
  const listed: unknown[] = EXIT_TABLE.flatMap(({ kinds }) => kinds);
  expect(classes.filter(([, kind]) => !listed.includes(kind)).map(([name]) => name)).toEqual([]);
});

test("what is no error of the SDK's is status 1, a misuse 2, and a signal a shell's status for it", () => {
  expect(exitStatusOf(new Error("disk full"))).toBe(1);
  expect(exitStatusOf("thrown")).toBe(1);
  expect(exitStatusOf(new UsageError("unknown flag"))).toBe(2);
  expect(exitStatusOf(new Interrupted("SIGHUP"))).toBe(129);
  expect(exitStatusOf(new Interrupted("SIGINT"))).toBe(130);
  expect(exitStatusOf(new Interrupted("SIGTERM"))).toBe(143);
});

test("the guide's table is this one", () => {
  const guide = readFileSync("docs/command-line.md", "utf8");
  const rows = [...guide.matchAll(/^\| (\d+) \|.*\| (.*) \|$/gm)].map(([, status, kinds = ""]) => [
    Number(status),
    [...kinds.matchAll(/`(\w+Error)`/g)].map(([, name]) => name).sort(),
  ]);
  const own = ["UsageError", "Error"];
  const table = EXIT_TABLE.map(({ status, kinds }) => [
    status,
    kinds
      .map(({ name }) => name)
      .filter((name) => !own.includes(name))
      .sort(),
  ]);
  expect(Object.fromEntries(rows)).toMatchObject(Object.fromEntries(table));
});

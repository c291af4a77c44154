import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { expect, test } from "vitest";
import { exitStatusOf } from "../../cli/exit-status.js";
import { runProgram } from "../../cli/program.js";
import { report } from "../../cli/report.js";
import { Interrupted, UsageError } from "../../cli/terminal.js";
import * as sdk from "../../src/index.js";
import { recordingTerminal } from "./support/terminal.js";

/** The status and the error names of each row in the guide's table. */
const documented = [
  ...readFileSync("docs/cli.md", "utf8").matchAll(/^\| (\d[\d, ]*) \|.*\| (.*) \|$/gm),
].flatMap(([, status = "", names = ""]) =>
  [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => [name, status] as const),
);

const errorsOfSdk = Object.entries(sdk).filter(([name]) => name.endsWith("Error"));

test("the guide has the exit status of every error class", () => {
  const names = new Set(documented.map(([name]) => name));
  expect(errorsOfSdk.map(([name]) => name).filter((name) => !names.has(name))).toEqual([]);
});

test.each(documented.filter(([name]) => name in sdk))(
  "%s is exit status %s, as in the guide",
  (name, status) => {
    const [, kind] = errorsOfSdk.find(([each]) => each === name) ?? [];
    expect(exitStatusOf(Object.create(Object(kind).prototype))).toBe(Number(status));
  },
);

test("another error is status 1, a usage error 2, and a signal its status in a shell", () => {
  expect(exitStatusOf(new Error("disk full"))).toBe(1);
  expect(exitStatusOf("thrown")).toBe(1);
  expect(exitStatusOf(new UsageError("unknown flag"))).toBe(2);
  expect(exitStatusOf(new Interrupted("SIGHUP"))).toBe(129);
  expect(exitStatusOf(new Interrupted("SIGINT"))).toBe(130);
  expect(exitStatusOf(new Interrupted("SIGTERM"))).toBe(143);
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
])("--json names %o as the guide does", (thrown) => {
  const { terminal, written } = recordingTerminal();
  report(thrown, true, terminal);
  expect(documented.map(([name]) => name)).toContain(JSON.parse(written.stdout).error.name);
});

async function expectRefusal(args: string[], message: string) {
  const { terminal, written } = recordingTerminal();
  expect(await runProgram(args, terminal)).toBe(2);
  expect(written.stderr).toBe(`async-music: ${message}\n`);
}

const DURATION = (option: string, value: string) =>
  `error: option '${option}' argument '${value}' is invalid. It must be a duration above 0 and of at most 596h, such as 90s, 10m or 1h.`;

test.each([
  [["balance", "--apikey=emu_mine"], "Unknown option '--apikey'. (Did you mean --api-key?)"],
  [
    ["run", "--title", "-5", "--out=song", "--jsno=emu_mine"],
    "Unknown option '--jsno'. (Did you mean --json?)",
  ],
  [["--key=emu_mine"], "Unknown option '--key'."],
])("the message about an unknown option of %j has its name, and not its value", expectRefusal);

test.each([
  [["emulator", "--prot", "1"], "Unknown option '--prot'. (Did you mean --port?)"],
  [
    ["emulator", "--port", "0", "sh", "-c", "exit 7"],
    "Missing `--` before the command: async-music emulator -- sh …",
  ],
  [
    ["emulator", "--state", ""],
    "error: option '--state <file>' argument '' is invalid. It is empty. Pass a path.",
  ],
  [["relay", "--timeout", "0"], DURATION("--timeout <time>", "0")],
  [["relay", "--timeout", "597h"], DURATION("--timeout <time>", "597h")],
  [["certify", "--timeout", "9999999h"], DURATION("--timeout <time>", "9999999h")],
])("the message about the wrong flags %j leads to the mistake", expectRefusal);

import { describe, expect, test } from "vitest";
import { COMMAND_OPTIONS } from "../../cli/flags.js";
import { createEmulator } from "../../emulator/index.js";
import { createTerminal, expectOneLine } from "./support/terminal.js";

const COMMANDS = Object.keys(COMMAND_OPTIONS);

const { run } = createTerminal(createEmulator());

describe.each([[], ...COMMANDS.map((name) => [name])])("async-music %s --help", (...command) => {
  test("is written to stdout, with status 0", async () => {
    const { status, stdout, stderr } = await run(...command, "--help");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: async-music/);
    expect(stdout).toContain("-h, --help");
    expect(stdout).not.toContain("--api-key [key]");
  });

  test("fits a narrow terminal", async () => {
    const narrow = { isTerminal: true, columns: 62, env: { NO_COLOR: "1" } };
    const { stdout } = await createTerminal(createEmulator(), narrow).run(...command, "--help");
    expect(stdout.split("\n").filter((line) => line.length > 62)).toEqual([]);
  });
});

test("without arguments, the help is written to stderr, with status 2", async () => {
  const { status, stdout, stderr } = await run();
  expect([status, stdout]).toEqual([2, ""]);
  for (const name of COMMANDS) expect(stderr).toContain(`\n  ${name} `);
});

test.each(COMMANDS)("`help %s` is the same as its --help", async (name) => {
  expect(await run("help", name)).toEqual(await run(name, "--help"));
});

test("--version is the package version", async () => {
  expect(await run("--version")).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/),
    stderr: "",
  });
});

test.each([
  [["emulator", "--port", "65536"], "--port"],
  [["emulator", "--port", "4010x"], "--port"],
  [["emulator", "--credits", "-1"], "from 0 to 1000000000000."],
  [["emulator", "--credits", "1000000000001"], "from 0 to 1000000000000."],
  [["emulator", "--seed", "1.5"], "--seed"],
  [["emulator", "--clock", "fast"], "--clock"],
  [["emulator", "--allow-host", "music:4010"], "--allow-host must be a host name without a port"],
  [["emulator", "--allow-host", "*"], "--allow-host must be a host name without a port"],
  [["emulator", "--host", ""], "--host must be an address or a host name"],
  [["emulator", "--policy", "audio_conversion"], "--policy <name=value>"],
  [
    ["emulator", "--policy", "audio_conversion=no"],
    "--policy audio_conversion must be one of on, off, failing",
  ],
  [["emulator", "--policy", "audio_convers=on"], "in --policy. Did you mean `audio_conversion`?"],
  [["emulator", "--policy", "invalid_audio_format_status=0415"], "a whole number from 400 to 599"],
  [["emulator", "--api-key", "live_1"], "--api-key must begin with `emu_`"],
  [["emulator", "--seed"], "--seed"],
  [["emulator", "pytest", "my tests"], "async-music emulator -- pytest 'my tests'"],
  [["emulate"], "emulate"],
])("%j is one error line, and status 2", async (args, named) => {
  expectOneLine(await run(...args), 2, named);
});

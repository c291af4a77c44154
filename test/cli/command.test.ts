import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const BIN = "dist/cli.js";

/** `async-music emulator … -- node -e code args`, while it runs. */
function begin(flags: readonly string[], code: string, ...args: string[]) {
  return beginCommand(flags, process.execPath, "-e", code, ...args);
}

function beginCommand(flags: readonly string[], ...command: string[]) {
  const child = spawn(process.execPath, [BIN, "emulator", ...flags, "--", ...command]);
  const written = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    written.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    written.stderr += chunk;
  });
  const ended = once(child, "close").then(([status, signal]) => ({ status, signal, ...written }));
  return { child, ended };
}

const SHOW_BALANCE = `
  const { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: key } = process.env;
  fetch(url + "/api/v1/account/balance", { headers: { "x-api-key": key } })
    .then((response) => response.json())
    .then(({ data }) => console.log(JSON.stringify({ url, key, data, args: process.argv.slice(1) })));
`;

test("a command finds the emulator in its environment, and has the terminal for itself", async () => {
  const { ended } = begin(
    ["--credits", "42", "--api-key", "emu_mine"],
    SHOW_BALANCE,
    "one two",
    "--json",
    "--",
  );
  const { status, stdout, stderr } = await ended;
  expect([status, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    key: "emu_mine",
    data: { available: 42, frozen: 0, total: 42 },
    args: ["one two", "--json", "--"],
  });
});

test("two of them at once take ports of their own", async () => {
  const both = await Promise.all([begin([], SHOW_BALANCE).ended, begin([], SHOW_BALANCE).ended]);
  expect(both.map(({ status }) => status)).toEqual([0, 0]);
  expect(new Set(both.map(({ stdout }) => JSON.parse(stdout).url)).size).toBe(2);
});

test.each([0, 1, 3, 77])("its exit status %i is the emulator's", async (status) => {
  expect((await begin([], `process.exit(${status})`).ended).status).toBe(status);
});

test("a command that a signal ended has the status of a shell", async () => {
  expect((await begin([], `process.kill(process.pid, "SIGKILL")`).ended).status).toBe(137);
});

test.each(["SIGINT", "SIGTERM"] as const)("%s is the command's to answer", async (signal) => {
  const code = `process.on("${signal}", () => process.exit(9)); setInterval(() => {}, 1000); console.log("ready");`;
  const { child, ended } = begin([], code);
  await once(child.stdout, "data");
  child.kill(signal);
  expect((await ended).status).toBe(9);
});

test("a command that there is not is one clear line, and status 127", async () => {
  const { status, stdout, stderr } = await beginCommand([], "no-such-command-anywhere").ended;
  expect([status, stdout]).toEqual([127, ""]);
  expect(stderr).toMatch(/^async-music: .*no-such-command-anywhere.*\n$/);
});

test("nothing behind the dashes is a misuse", async () => {
  const { status, stderr } = await beginCommand([]).ended;
  expect(status).toBe(2);
  expect(stderr).toMatch(/^async-music: .*`--`.*\n$/);
});

test("the state is saved when the command has ended", async () => {
  const directory = await mkdtemp(join(tmpdir(), "async-music-"));
  const file = join(directory, "state.json");
  const code = `fetch(process.env.ASYNC_MUSIC_BASE_URL + "/_emulator/accounts", { method: "POST" })`;
  expect((await begin(["--state", file], code).ended).status).toBe(0);
  expect(JSON.parse(await readFile(file, "utf8")).state.accounts).toHaveLength(2);
  await rm(directory, { recursive: true });
});

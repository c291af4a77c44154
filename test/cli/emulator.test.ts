import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listen } from "../support/loopback.js";
import { startCommand } from "./support/process.js";
import { createFolder } from "./support/terminal.js";

const start = (...flags: string[]) => startCommand(["emulator", "--port", "0", ...flags]);

async function startEmulator(...flags: string[]) {
  const { child, written, wrote, ended } = start("--json", ...flags);
  await wrote("stdout", "\n");
  return { child, ended, line: JSON.parse(written.stdout) };
}

const balanceOf = async ({ url, api_key }: { url: string; api_key: string }) => {
  const response = await fetch(`${url}/api/v1/account/balance`, { headers: { "x-api-key": api_key } });
  return (await response.json()).data;
};

describe("async-music emulator --json", () => {
  test("writes its address once it accepts connections", async () => {
    const { line } = await startEmulator();
    expect(line).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      api_key: expect.stringMatching(/^emu_/),
      account_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      dashboard_url: `${line.url}/`,
    });
    expect(await balanceOf(line)).toEqual({ available: 1000, frozen: 0, total: 1000 });
    expect((await fetch(line.dashboard_url)).status).toBe(200);
  });

  test("accepts credits, a key, a seed and a clock", async () => {
    const flags = "--credits 7 --api-key emu_mine --seed -3 --clock virtual";
    const { line } = await startEmulator(...flags.split(" "));
    expect(line.api_key).toBe("emu_mine");
    expect((await balanceOf(line)).available).toBe(7);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "exits with status 0 on %s, even with a connection open",
    async (signal) => {
      const { child, ended, line } = await startEmulator();
      await balanceOf(line);
      child.kill(signal);
      expect(await ended).toMatchObject({ status: 0, signal: null });
    },
  );
});

test("without --json it writes how to use it", async () => {
  const { written, wrote } = start();
  await wrote("stdout", "ASYNC_MUSIC_API_KEY=emu_");
  expect(written.stdout).toMatch(/ASYNC_MUSIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+/);
});

test.each([["0.0.0.0"], ["0.0.0.0", "music", "localhost"]])(
  "--host %s warns on stderr that other machines reach the port",
  async (host, ...names) => {
    const { written, wrote } = start("--host", host, ...names.flatMap((name) => ["--allow-host", name]));
    await wrote("stderr", "\n");
    expect(written.stderr).toMatch(/^async-music: Warning: .*other machines can reach port \d+\. .*\n$/);
    expect(written.stderr).toContain(host);
    expect(written.stderr).toContain(names.length === 0 ? "Only this machine" : "music or localhost");
  },
);

test.each(["127.0.0.1", "localhost"])("--host %s does not warn", async (host) => {
  const { child, wrote, ended } = start("--host", host);
  await wrote("stdout", "Ctrl+C");
  child.kill("SIGTERM");
  expect((await ended).stderr).toBe("");
});

test("a taken port is one line on stderr, and status 1", async () => {
  const { port } = new URL((await listen(() => {})).url);
  const { status, stdout, stderr } = await start("--port", port, "--json").ended;
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^async-music: .*the port is taken.*\n$/);
});

const SHOW_BALANCE = `
  const { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: key } = process.env;
  fetch(url + "/api/v1/account/balance", { headers: { "x-api-key": key } })
    .then((response) => response.json())
    .then(({ data }) => console.log(JSON.stringify({ url, key, data, args: process.argv.slice(1) })));
`;

describe("async-music emulator -- COMMAND", () => {
  /** `async-music emulator … -- node -e code args` */
  const startNode = (flags: readonly string[], code: string, ...args: string[]) =>
    startCommand(["emulator", ...flags, "--", process.execPath, "-e", code, ...args]);

  test("sets the address and the key for the command, and writes nothing itself", async () => {
    const flags = ["--credits", "42", "--api-key", "emu_mine"];
    const { ended } = startNode(flags, SHOW_BALANCE, "one two", "--json", "--");
    const { status, stdout, stderr } = await ended;
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      key: "emu_mine",
      data: { available: 42, frozen: 0, total: 42 },
      args: ["one two", "--json", "--"],
    });
  });

  test("two at the same time use different ports", async () => {
    const both = await Promise.all([startNode([], SHOW_BALANCE).ended, startNode([], SHOW_BALANCE).ended]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    expect(new Set(both.map(({ stdout }) => JSON.parse(stdout).url)).size).toBe(2);
  });

  test.each([0, 1, 3, 77])("exits with the command's status %i", async (status) => {
    expect((await startNode([], `process.exit(${status})`).ended).status).toBe(status);
  });

  test("exits with the status of a shell if a signal ends the command", async () => {
    expect((await startNode([], `process.kill(process.pid, "SIGKILL")`).ended).status).toBe(137);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("forwards %s to the command", async (signal) => {
    const code = `process.on("${signal}", () => process.exit(9)); setInterval(() => {}, 1000); console.log("ready");`;
    const { child, wrote, ended } = startNode([], code);
    await wrote("stdout", "ready");
    child.kill(signal);
    expect((await ended).status).toBe(9);
  });

  test("a command that does not exist is one line, and status 127", async () => {
    const { status, stdout, stderr } = await startCommand(["emulator", "--", "no-such-command-anywhere"])
      .ended;
    expect([status, stdout]).toEqual([127, ""]);
    expect(stderr).toMatch(/^async-music: .*no-such-command-anywhere.*\n$/);
  });

  test("no command is status 2", async () => {
    const { status, stderr } = await startCommand(["emulator", "--"]).ended;
    expect(status).toBe(2);
    expect(stderr).toMatch(/^async-music: .*`--`.*\n$/);
  });

  test("saves the state when the command has ended", async () => {
    const file = join(await createFolder(), "state.json");
    const code = `fetch(process.env.ASYNC_MUSIC_BASE_URL + "/_emulator/accounts", { method: "POST" })`;
    expect((await startNode(["--state", file], code).ended).status).toBe(0);
    expect(JSON.parse(await readFile(file, "utf8")).state.accounts).toHaveLength(2);
  });
});

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, describe, expect, test } from "vitest";

const BIN = "dist/cli.js";

const running: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

/** The command, with everything that it writes. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [BIN, ...args]);
  running.push(child);
  const written = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    written.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    written.stderr += chunk;
  });
  return { child, written };
}

async function run(...args: string[]) {
  const { child, written } = start(...args);
  const [status] = await once(child, "close");
  return { status, ...written };
}

/** An emulator that says as JSON where it is. */
async function startEmulator(...args: string[]) {
  const { child, written } = start("emulator", "--port", "0", "--json", ...args);
  while (!written.stdout.includes("\n")) await once(child.stdout, "data");
  const [line = ""] = written.stdout.split("\n");
  return { child, line: JSON.parse(line) };
}

const balanceOf = async ({ url, api_key }: { url: string; api_key: string }) => {
  const response = await fetch(`${url}/api/v1/account/balance`, { headers: { "x-api-key": api_key } });
  return (await response.json()).data;
};

describe("async-music emulator --json", () => {
  test("says where it is, once it can be reached", async () => {
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

  test("takes credits, a key, a seed and a clock", async () => {
    const { line } = await startEmulator(
      "--credits",
      "7",
      "--api-key",
      "emu_mine",
      "--seed",
      "-3",
      "--clock",
      "virtual",
    );
    expect(line.api_key).toBe("emu_mine");
    expect((await balanceOf(line)).available).toBe(7);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "ends with status 0 on %s, also with a connection open",
    async (signal) => {
      const { child, line } = await startEmulator();
      await balanceOf(line);
      child.kill(signal);
      expect(await once(child, "close")).toEqual([0, null]);
    },
  );
});

test("without --json it says how to use it", async () => {
  const { child, written } = start("emulator", "--port", "0");
  while (!written.stdout.includes("ASYNC_MUSIC_API_KEY=emu_")) await once(child.stdout, "data");
  expect(written.stdout).toMatch(/ASYNC_MUSIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+/);
});

test.each([["0.0.0.0"], ["0.0.0.0", "music", "localhost"]])(
  "--host %s warns on stderr that other machines reach the port",
  async (host, ...names) => {
    const { child, written } = start(
      ...["emulator", "--port", "0", "--host", host, ...names.flatMap((name) => ["--control-host", name])],
    );
    while (!written.stderr.includes("\n")) await once(child.stderr, "data");
    expect(written.stderr).toMatch(/^async-music: Warning: .*other machines can reach port \d+\. .*\n$/);
    expect(written.stderr).toContain(host);
    expect(written.stderr).toContain(names.length === 0 ? "this machine alone" : "music or localhost");
  },
);

test.each(["127.0.0.1", "localhost"])("--host %s warns of nothing", async (host) => {
  const { child, written } = start("emulator", "--port", "0", "--host", host);
  while (!written.stdout.includes("Ctrl+C")) await once(child.stdout, "data");
  child.kill("SIGTERM");
  await once(child, "close");
  expect(written.stderr).toBe("");
});

test("a taken port is one line on stderr, and status 1", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { status, stdout, stderr } = await run("emulator", "--port", String(port), "--json");
  server.close();
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^async-music: .*the port is taken.*\n$/);
});

test.each([
  [["emulator", "--prot", "1"], "--prot"],
  [["emulator", "--port", "65536"], "--port"],
  [["emulator", "--port", "4010x"], "--port"],
  [["emulator", "--credits", "-1"], "--credits"],
  [["emulator", "--seed", "1.5"], "--seed"],
  [["emulator", "--clock", "fast"], "--clock"],
  [["emulator", "--control-host", "music:4010"], "--control-host to be a host name without a port"],
  [["emulator", "--api-key", "live_1"], "--api-key to begin with `emu_`"],
  [["emulator", "--seed"], "--seed"],
  [["emulator", "pytest", "my tests"], "async-music emulator -- pytest 'my tests'"],
  [["emulate"], "emulate"],
])("%j is one clear line on stderr, and status 2", async (args, named) => {
  const { status, stdout, stderr } = await run(...args);
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^async-music: .*\n$/);
  expect(stderr).toContain(named);
});

test("--help explains the flags, and is no error", async () => {
  const { status, stdout } = await run("emulator", "--help");
  expect(status).toBe(0);
  for (const flag of [
    "--port",
    "--host",
    "--control-host",
    "--clock",
    "--seed",
    "--credits",
    "--api-key",
    "--state",
    "--json",
  ]) {
    expect(stdout).toContain(flag);
  }
});

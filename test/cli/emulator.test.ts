import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../support/loopback.js";
import { startCommand } from "./support/process.js";
import { createFolder, expectOneLine } from "./support/terminal.js";

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
});

test("--policy sets each of its options", async () => {
  const options = ["invalid_audio_format_status=415", "audio_conversion=off", "timeout_retryable=false"];
  const { line } = await startEmulator(...options.flatMap((option) => ["--policy", option]));
  const response = await fetch(`${line.url}/_emulator/state`);
  expect((await response.json()).policy).toMatchObject({
    invalid_audio_format_status: 415,
    audio_conversion: "off",
    timeout_retryable: false,
    mixed_field_sets: "reject",
  });
});

/** What a client may leave open: the beginning of a connection, and whether the emulator responds before it ends. */
const OPEN = {
  "a kept connection": ["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", true],
  "half a request": ["GET / HTTP/1.1\r\nHost: loc", false],
  "half an upload": [requestOf("POST /_emulator/reset", "Content-Length: 100"), false],
  "a stalled request": [requestOf("GET /api/v1/stall"), false],
  "a delayed request": [requestOf("GET /api/v1/delay"), false],
  "an event stream": [requestOf("GET /_emulator/requests/stream"), true],
  "a tunnel": ["CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n", true],
  "no request": ["", false],
} as const;

function requestOf(call: string, ...headers: string[]): string {
  return [`${call} HTTP/1.1`, "Host: localhost", ...headers, "Content-Type: application/json\r\n\r\n"].join(
    "\r\n",
  );
}

// A machine with no free core may need longer than the second.
test.each(["SIGTERM", "SIGINT"] as const)(
  "%s ends it within a second, whatever is open",
  { retry: 2 },
  async (signal) => {
    const file = join(await createFolder(), "state.json");
    const { child, ended, line } = await startEmulator("--state", file);
    const post = (path: string, body: object, headers = {}) =>
      fetch(line.url + path, {
        method: "POST",
        headers: { "Content-Type": "application/json", "x-api-key": line.api_key, ...headers },
        body: JSON.stringify(body),
      }).then((response) => response.json());
    await post("/_emulator/faults", { path: "/api/v1/stall", fault: { kind: "stall" } });
    await post("/_emulator/faults", { path: "/api/v1/delay", fault: { kind: "latency", ms: 3_600_000 } });
    const input = { prompt: "slow folk" };
    const outcome = { "X-Emulator-Outcome": JSON.stringify({ polls: 1 }) };
    const { data } = await post("/api/v1/task", { model: "provider_b", task_type: "music", input }, outcome);
    const headers = { "x-api-key": line.api_key };
    const read = await fetch(`${line.url}/api/v1/task/${data.task_id}`, { headers });
    const { audio_url } = (await read.json()).data.output.result[0];

    for (const [beginning, responds] of [
      ...Object.values(OPEN),
      [requestOf(`GET ${new URL(audio_url).pathname}`).repeat(40), true] as const,
    ]) {
      const socket = connect({
        host: "127.0.0.1",
        port: Number(new URL(line.url).port),
        allowHalfOpen: true,
      });
      socket.on("error", () => {});
      onTestFinished(() => void socket.destroy());
      await once(socket, "connect");
      socket.write(beginning);
      // From then on, the client does not read: a download cannot be completed.
      if (responds) await once(socket, "readable");
    }
    const sentAt = performance.now();
    child.kill(signal);
    expect(await ended).toMatchObject({ status: 0, signal: null, stderr: "" });
    expect(performance.now() - sentAt).toBeLessThan(1_000);
    expect(JSON.parse(await readFile(file, "utf8")).state.tasks).toHaveLength(1);
  },
);

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
  expectOneLine(await start("--port", port, "--json").ended, 1, "the port is taken");
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
    const command = "no-such-command-anywhere";
    expectOneLine(await startCommand(["emulator", "--", command]).ended, 127, command);
  });

  test("no command is status 2", async () => {
    expectOneLine(await startCommand(["emulator", "--"]).ended, 2, "`--`");
  });

  test("saves the state when the command has ended", async () => {
    const file = join(await createFolder(), "state.json");
    const code = `fetch(process.env.ASYNC_MUSIC_BASE_URL + "/_emulator/accounts", { method: "POST" })`;
    expect((await startNode(["--state", file], code).ended).status).toBe(0);
    expect(JSON.parse(await readFile(file, "utf8")).state.accounts).toHaveLength(2);
  });
});

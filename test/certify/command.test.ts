import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runProgram } from "../../cli/program.js";
import type { EndingSignal } from "../../cli/terminal.js";
import { createFolder, expectOneLine, recordingTerminal } from "../cli/support/terminal.js";

const REAL_KEY = "a_real_key_of_the_service";

async function run(args: readonly string[], onSignal?: (listener: (signal: EndingSignal) => void) => void) {
  const { terminal, written } = recordingTerminal({
    env: { ...process.env, ASYNC_MUSIC_API_KEY: REAL_KEY, ASYNC_MUSIC_BASE_URL: "https://music.example" },
    onSignal(listener) {
      onSignal?.(listener);
      return () => {};
    },
  });
  const status = await runProgram(args, terminal);
  return { status, ...written };
}

/** A client that is a line of JavaScript. */
const node = (code: string) => ["--", process.execPath, "-e", code];

const shell = (code: string) => ["--", "sh", "-c", code];

/** Makes a song as no client should, but as fast as possible. */
const FAST = `
const { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: key, ASYNC_MUSIC_OUT_DIR: folder } = process.env;
const headers = { "x-api-key": key, "Content-Type": "application/json" };
const order = { model: "provider_a", task_type: "music", input: { gpt_description_prompt: "rain" } };
const send = async (path, init) => (await (await fetch(url + path, { headers, ...init })).json()).data;
(async () => {
  const { task_id } = await send("/api/v1/task", { method: "POST", body: JSON.stringify(order) });
  let task;
  do task = await send("/api/v1/task/" + task_id);
  while (task.status !== "success");
  const audio = await (await fetch(task.output.result[0].audio_url)).arrayBuffer();
  require("node:fs").writeFileSync(folder + "/song.wav", Buffer.from(audio));
})();`;

describe("async-music certify", () => {
  test("runs only the first scenario if it fails", async () => {
    const { status, stdout, stderr } = await run([
      "certify",
      ...node("console.error('no'); process.exit(3)"),
    ]);
    expect(status).toBe(1);
    expect(stdout).toContain("FAILED song: It ended with exit status 3: no.\n");
    expect(stdout).toContain("the other scenarios were not run.\nNot certified: 0 of ");
    expect(stderr).toMatch(/^0:0\d 1 of \d+: song failed\n$/);
  });

  test("runs all chosen scenarios if the first of them fails, and is not the one without a fault", async () => {
    const only = ["--only", "poll-interval", "--only", "read-500"];
    const { status, stdout } = await run(["certify", ...only, ...node(FAST)]);
    expect(status).toBe(1);
    expect(stdout).toContain("FAILED poll-interval: ");
    expect(stdout).toContain("FAILED read-500: ");
    expect(stdout).not.toContain("were not run");
  });

  test("writes the report as text, and as Markdown with a badge", async () => {
    const report = join(await createFolder(), "report.md");
    const only = ["--only", "song", "--only", "poll-interval", "--report", report];
    const { status, stdout } = await run(["certify", ...only, ...node(FAST)]);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^FAILED poll-interval: Polled task .* again after \d+ ms\. .* 2 requests did so\.\n {7}POST \/api\/v1\/task 202, GET \/api\/v1\/task\/\* 200 \(3 times\), GET \/audio\/\* 200; exit status 0\n {2}What to change: Sleep between polls: .*\n {2}The interface: A task must not be polled .*\n\nPassed, creating once: song\n\nNot certified: 1 of 2 required scenarios and 1 of 2 in all passed\.\n$/,
    );
    const markdown = await readFile(report, "utf8");
    expect(markdown).toContain("![async-music: failed 1/2](report.svg)");
    expect(markdown).toContain("| poll-interval | required | failed | The client waits at least");
    expect(markdown).toMatch(/### poll-interval\n\n- What happened: Polled task .*\n- What to change: Sleep/);
    expect(await readFile(report.replace(".md", ".svg"), "utf8")).toContain(
      "<title>async-music: failed 1/2</title>",
    );
  });

  test("has status 0 if all chosen required scenarios passed, which certifies nothing, and --json has no other output", async () => {
    const { status, stdout } = await run([
      "certify",
      "--json",
      "--only",
      "song",
      "--only",
      "poll-pace",
      ...node(FAST),
    ]);
    const { scenarios, ...report } = JSON.parse(stdout);
    expect([status, report.accepted, report.certified, report.passed]).toEqual([
      0,
      true,
      false,
      { required: 1, recommended: 0 },
    ]);
    expect(scenarios).toMatchObject([
      { name: "song", required: true, result: "passed" },
      { name: "poll-pace", required: false, result: "failed", happened: expect.any(String) },
    ]);
    expect(scenarios[0]).not.toHaveProperty("change");
  });

  test.each([
    ["an error that it throws", "throw error"],
    ["an error that it writes", "console.error(error); process.exit(1)"],
  ])("shows the message of a Node client with %s", async (_, end) => {
    const code = `const cause = Object.assign(new Error("refused"), { port: 1 });
      const error = Object.assign(new TypeError("no song", { cause }), { attempts: 2 }); ${end}`;
    const { stdout } = await run(["certify", "--json", ...node(code)]);
    expect(JSON.parse(stdout).scenarios[0].end).toBe("exit status 1: TypeError: no song");
  });

  test("gives the client a key and an address of the emulator, and none of the service", async () => {
    const code =
      "console.error(process.env.ASYNC_MUSIC_API_KEY, process.env.ASYNC_MUSIC_BASE_URL); process.exit(1)";
    const { stdout } = await run(["certify", "--json", ...node(code)]);
    expect(JSON.parse(stdout).scenarios[0].end).toMatch(/exit status 1: emu_\w+ http:\/\/127\.0\.0\.1:\d+$/);
  });

  test("stops a client that takes too long, with what it has started", async () => {
    const { status, stdout } = await run([
      ...["certify", "--json", "--timeout", "1s"],
      ...shell("sleep 1000 & echo $!; wait"),
    ]);
    const { happened, end } = JSON.parse(stdout).scenarios[0];
    expect([status, happened]).toEqual([1, "It had not ended after 1 s, and was stopped."]);
    expectEnded(Number(/: (\d+)$/.exec(end)?.[1]));
  });

  test("ends what a client has left behind", async () => {
    const { stdout } = await run(["certify", "--json", ...shell("sleep 1000 & echo $!; exit 1")]);
    expectEnded(Number(/: (\d+)$/.exec(JSON.parse(stdout).scenarios[0].end)?.[1]));
  });

  test("waits for no process that has left the client's group and keeps its output open", async () => {
    const child = `require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 20000)"], { detached: true, stdio: "inherit" })`;
    const before = Date.now();
    const { stdout } = await run([
      ...["certify", "--json"],
      ...node(`console.error(${child}.pid); process.exit(1)`),
    ]);
    const { happened, end } = JSON.parse(stdout).scenarios[0];
    process.kill(Number(/(\d+)$/.exec(end)?.[1]));
    expect(happened).not.toContain("stopped");
    expect(Date.now() - before).toBeLessThan(15_000);
  });

  test("stops at Ctrl-C, with the status of the signal", async () => {
    const { status, stdout } = await run(["certify", ...node("setInterval(() => {}, 1000)")], (listener) =>
      setTimeout(() => listener("SIGINT"), 300),
    );
    expect([status, stdout]).toEqual([130, ""]);
  });

  test("lists the scenarios", async () => {
    const { status, stdout } = await run(["certify", "--list"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^song +required +The client creates one task, .*\n(?:.*\n)+$/);
    const { scenarios } = JSON.parse((await run(["certify", "--list", "--json"])).stdout);
    expect(stdout.split("\n")).toHaveLength(scenarios.length + 1);
  });
});

test.each([
  [[], "the command that makes a song"],
  [["--"], "Missing command"],
  [["node", "song.mjs"], "async-music certify -- node song.mjs"],
  [["--only", "songs", "--", "node"], "--list"],
  [["--report", "/nowhere/at/all.md", "--", "node"], "/nowhere/at/all.md"],
  [["--report", "song.svg", "--", "node"], "song.svg"],
  [["--report", "song.SVG", "--", "node"], "song.SVG"],
  [["--", "no-such-command-here"], "no-such-command-here"],
  [["--concurrency", "0", "--", "node"], "--concurrency"],
])("certify %j is a misuse", async (args, named) => {
  const { stderr, ...result } = await run(["certify", ...args]);
  expectOneLine({ ...result, stderr }, 2, named);
});

/** A process that has ended may remain as a zombie, if nothing waits for it. */
function expectEnded(pid: number): void {
  expect(pid).toBeGreaterThan(1);
  expect(spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout).toMatch(
    /^(?:Z|$)/,
  );
}

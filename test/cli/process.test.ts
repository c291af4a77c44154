import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index.js";
import { serve } from "../../emulator/node.js";
import { AsyncMusic } from "../../src/index.js";
import { listen } from "../support/loopback.js";
import { startCommand } from "./support/process.js";
import { createFolder, expectOneLine } from "./support/terminal.js";

const SONG = { model: "provider_a", task_type: "music", input: { gpt_description_prompt: "rain" } } as const;

let emulator: Emulator;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  emulator = createEmulator({ clock: "virtual", seed: 1, credits: 20 });
  emulator.providers.provider_a.always({ clips: 1, polls: 1 });
  const { url, close } = await serve(emulator, { port: 0 });
  env = { ...process.env, ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: emulator.apiKey };
  return close;
});

const start = (args: readonly string[], options: { env?: NodeJS.ProcessEnv; stdin?: string } = {}) =>
  startCommand(args, { env, ...options });

async function submit(): Promise<string> {
  return (await new AsyncMusic(emulator.connection()).tasks.create(SONG)).task_id;
}

test("wait saves the audio of a task, and the process exits", async () => {
  const folder = await createFolder();
  const { ended } = start(["wait", await submit(), "--out", `${folder}/rain`]);
  expect(await ended).toMatchObject({ status: 0, signal: null, stdout: `${folder}/rain.wav\n` });
  expect(await readdir(folder)).toEqual(["rain.wav"]);
});

test.each([
  ["no key", { ASYNC_MUSIC_API_KEY: "" }, ["balance"], 2, "ASYNC_MUSIC_API_KEY"],
  ["no address", { ASYNC_MUSIC_BASE_URL: "" }, ["usage"], 2, "ASYNC_MUSIC_BASE_URL"],
  [
    "an invalid address",
    { ASYNC_MUSIC_BASE_URL: "music" },
    ["balance"],
    2,
    "ASYNC_MUSIC_BASE_URL or --base-url",
  ],
  ["an unknown flag", {}, ["balance", "--jsno"], 2, "(Did you mean --json?)"],
  ["an unknown command", {}, ["balanse"], 2, "(Did you mean balance?)"],
  ["an empty prompt", {}, ["run", "-d", " "], 2, "--gpt-description-prompt"],
  ["a refused request", {}, ["run", "upload", "--url", "ftp://a.example"], 3, "http"],
  ["an unknown key", { ASYNC_MUSIC_API_KEY: "emu_unknown" }, ["run", "-d", "rain"], 4, "invalid_api_key"],
  ["an unknown task", {}, ["wait", "none"], 6, "task_not_found"],
  ["no connection", {}, ["balance", "--base-url", "http://127.0.0.1:1"], 8, "nothing was sent"],
])("%s is one line and its own exit status", async (_, variables, args, status, named) => {
  const changed = { ...env, ...variables };
  expectOneLine(await start(args, { env: changed }).ended, status, named);

  const json = await start([...args, "--json"], { env: changed }).ended;
  expect(json.status).toBe(status);
  expect(JSON.parse(json.stdout).error).toMatchObject({
    name: expect.stringMatching(/Error$/),
    message: expect.stringContaining(named),
  });
});

describe("signals", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)(
    "%s during the wait writes the task ID and how to continue: status %i",
    async (signal, status) => {
      const { child, ended, wrote } = start(["run", "-d", "rain"]);
      await wrote("stderr", "is submitted");
      child.kill(signal);
      const { stdout, stderr, ...rest } = await ended;
      expect([rest.status, stdout]).toEqual([status, ""]);
      const [, taskId = ""] = /Task (\S+) is submitted/.exec(stderr) ?? [];
      expect(stderr).toMatch(new RegExp(`\\n {2}async-music wait ${taskId}\\n$`));
      expect((await start(["wait", taskId, "--no-download"]).ended).status).toBe(0);
    },
  );

  test("a second one ends the wait for the response to a POST, whose outcome is unknown: status 9", async () => {
    const arrivals = new EventEmitter();
    const { url } = await listen(() => arrivals.emit("request"));
    const requested = once(arrivals, "request");
    const { child, ended, wrote } = start(["run", "-d", "rain", "--json", "--base-url", url]);
    await requested;
    child.kill("SIGINT");
    await wrote("stderr", "in flight");
    child.kill("SIGINT");
    const { status, stdout, stderr } = await ended;
    expect(status).toBe(9);
    expect(JSON.parse(stdout).error).toMatchObject({
      name: "SubmissionOutcomeUnknownError",
      taskId: null,
      requestId: expect.stringMatching(/./),
    });
    expect(stderr).toContain("It is unknown whether a task was created");
    expect(stderr).toContain("async-music usage");
  });
});

describe("a closed pipe", () => {
  test("does not stop the audio from being saved", async () => {
    const folder = await createFolder();
    const { child, ended } = start(["wait", await submit(), "--out", join(folder, "rain")]);
    child.stdout.destroy();
    child.stderr.destroy();
    expect(await ended).toMatchObject({ status: 0, signal: null });
    expect(await readdir(folder)).toEqual(["rain.wav"]);
  });

  test("is no error for the help", async () => {
    const { child, ended } = start(["run", "--help"]);
    child.stdout.destroy();
    expect(await ended).toMatchObject({ status: 0, stderr: "" });
  });
});

test.skipIf(!existsSync("/dev/full"))("stdout on a full disk is an error, and status 1", async () => {
  const full = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(full));
  for (const flags of [[], ["--json"]]) {
    const child = spawn(process.execPath, ["dist/cli.js", "balance", ...flags], {
      env,
      stdio: ["ignore", full, "pipe"],
    });
    let stderr = "";
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    const [status] = await once(child, "close");
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^async-music: .*stdout: .*ENOSPC.*\n$/)]);
  }
});

test("the key is never written, in whatever argument it was passed", async () => {
  const key = emulator.apiKey;
  for (const args of [
    ["wait", key],
    ["run", key],
    [key],
    ["balance", `--${key}`],
    ["balance", "--base-url", key],
    ["balance", "--base-url", `http://${key}.example/`],
    ["run", "--file", key],
    ["run", "--file", "-"],
    ["run", "-d", key, "--out", `/dev/null/${key}`],
    ["balance", "--api-key", key],
  ]) {
    const { stdout, stderr } = await start([...args, "--json"], { stdin: key }).ended;
    expect(stderr).not.toBe("");
    expect(stdout + stderr).not.toContain(key);
  }
});

test("the SDK and the emulator are not loaded for the help", () => {
  // The build names each source above its code.
  const named = /^\/\/ (cli|src|emulator)\/\S+$/gm;
  const loadedBy = (script: string) =>
    [...eagerFiles(script)].flatMap((file) => readFileSync(file, "utf8").match(named) ?? []);
  const sources = loadedBy("dist/cli.js");
  expect(sources).toContain("// cli/program.ts");
  expect(loadedBy("dist/index.js")).toContain("// src/client.ts");
  const heavy = /emulator\/index|src\/client\.ts|src\/tasks|src\/rate-limit|emulator\/audio\/song/;
  expect(sources.filter((source) => heavy.test(source))).toEqual([]);
});

function eagerFiles(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const imports = readFileSync(file, "utf8").matchAll(/^(?:import|export|\}).*?"\.\/([^"]+)";$/gm);
  for (const [, name = ""] of imports) eagerFiles(join("dist", name), found);
  return found;
}

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCommand } from "./support/process.js";
import { createFolder, expectOneLine } from "./support/terminal.js";

const WORLD = "examples/testing/world.json";

/** `async-music emulator … --seed-file FILE -- node -e CODE` */
const start = (file: string, flags: readonly string[] = [], code = "") =>
  startCommand(["emulator", ...flags, "--seed-file", file, "--", process.execPath, "-e", code]).ended;

async function startWith(text: string) {
  const file = join(await createFolder(), "world.json");
  await writeFile(file, text);
  return { file, ...(await start(file)) };
}

const SHOW_STATE = `
  const { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: key } = process.env;
  fetch(url + "/_emulator/state").then((response) => response.json()).then((state) => {
    console.log(JSON.stringify({ key, now: state.now, accounts: state.accounts, tasks: state.tasks }));
  });
`;

test("--seed-file starts with the accounts and tasks of the example", async () => {
  const { status, stdout, stderr } = await start(WORLD, ["--clock", "virtual"], SHOW_STATE);
  expect([status, stderr]).toEqual([0, ""]);
  const { key, now, accounts, tasks } = JSON.parse(stdout);
  expect([key, now]).toEqual(["emu_alice", "2026-06-01T09:00:00.000Z"]);
  expect(accounts.map(({ balance }: { balance: object }) => balance)).toEqual([
    { available: 500, frozen: 10, total: 510 },
    { available: 3, frozen: 0, total: 3 },
  ]);
  const statuses = tasks.map(({ status }: { status: string }) => status);
  expect(statuses).toEqual(["success", "success", "failure", "running"]);
});

test("--api-key replaces its first key", async () => {
  const { stdout } = await start(WORLD, ["--api-key", "emu_mine"], SHOW_STATE);
  expect(JSON.parse(stdout).key).toBe("emu_mine");
});

test.each([
  ["", "It is not JSON. Line 1, column 1: expected a value."],
  [
    '{\n  "accounts": [\n    { "credits": 5, }\n',
    "It is not JSON. Line 3, column 21: expected a name in double quotes.",
  ],
  ['{ "accounts": [{}\r\n}', "It is not JSON. Line 2, column 1: expected a comma or ]."],
  ['{ "time" "now" }', "It is not JSON. Line 1, column 10: expected a colon."],
  ['{ "accounts": [{ "credits": 05 }] }', "It is not JSON. Line 1, column 29: expected a value."],
  ["{} // the end", "It is not JSON. Line 1, column 4: expected the end of the file."],
  ["[]", "the file must be an object; got []."],
  ['{ "acounts": [] }', "Unknown field `acounts` in the file. Did you mean `accounts`?"],
  [
    '{ "accounts": [{ "tasks": [{ "model": "provider_a", "task_type": "music", "input": {}, "status": "done" }] }] }',
    "`accounts[0].tasks[0].status` must be one of pending, running, success, failure, timeout; got `done`.",
  ],
])("a broken file is one line and status 1: %j", async (text, message) => {
  const { file, status, stdout, stderr } = await startWith(text);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toBe(`async-music: Failed to use the seed file ${file}: ${message}\n`);
});

test("all mistakes of a file are one line", async () => {
  const mistakes = {
    acounts: [],
    limits: { requests: 0 },
    accounts: [{ keys: [{ key: "emu_a", disable: true }] }],
  };
  const { file, status, stderr } = await startWith(JSON.stringify(mistakes));
  expect(status).toBe(1);
  const found = [
    "Unknown field `disable` in `accounts[0].keys[0]`. Did you mean `disabled`?",
    "`limits.requests` must be a whole number from 1 to 1000000000; got 0.",
    "Unknown field `acounts` in the file. Did you mean `accounts`?",
  ];
  const list = found.map((each) => ` - ${each}`).join("");
  expect(stderr).toBe(`async-music: Failed to use the seed file ${file}: the file has 3 mistakes:${list}\n`);
});

test("a byte order mark is ignored", async () => {
  expect((await startWith('\uFEFF{ "accounts": [{ "credits": 5 }] }')).status).toBe(0);
});

test("a missing file is one line and status 2", async () => {
  const words = "Failed to use the seed file no-such-world.json: the file does not exist.";
  expectOneLine(await start("no-such-world.json"), 2, words);
});

test.each([
  ["--credits", "5"],
  ["--api-key", "live_1"],
])("%s %s is one line and status 2", async (flag, value) => {
  expectOneLine(await start(WORLD, [flag, value]), 2, flag);
});

test("it fills a new state file, and is refused for an existing one", async () => {
  const state = join(await createFolder(), "state.json");
  expect((await start(WORLD, ["--state", state])).status).toBe(0);
  const saved = await readFile(state, "utf8");
  expect(JSON.parse(saved).state.tasks).toHaveLength(4);
  const { status, stderr } = await start(WORLD, ["--state", state]);
  expect(status).toBe(2);
  expect(stderr).toContain("--seed-file can't be combined with the existing state file");
  expect(await readFile(state, "utf8")).toBe(saved);
});

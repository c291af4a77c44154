import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { listen } from "../support/loopback.js";
import { startCommand } from "./support/process.js";
import { createFolder, expectOneLine } from "./support/terminal.js";

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await createFolder();
  file = join(directory, "state.json");
});

/** An emulator on a free port with this state file. Resolves when it accepts connections, or has ended. */
async function start(...args: string[]) {
  const { child, written, wrote, ended } = startCommand([
    ...["emulator", "--port", "0", "--json", "--state", file],
    ...args,
  ]);
  await Promise.race([wrote("stdout", "\n"), ended]);
  const line = written.stdout === "" ? null : JSON.parse(written.stdout);
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${line.url}/_emulator${path}`, {
      method,
      ...(body !== undefined && {
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    return response.json();
  };
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return (await ended).status;
  };
  return { child, line, control, end, ended };
}

/** Makes a state so large that it takes a while to save. */
async function createSongs(count: number, { url, api_key }: { url: string; api_key: string }) {
  const input = { prompt: "rain in Lisbon, ".repeat(60_000) };
  const body = JSON.stringify({ model: "provider_b", task_type: "music", input });
  const headers = { "x-api-key": api_key, "Content-Type": "application/json" };
  for (let songs = 0; songs < count; songs++)
    await fetch(`${url}/api/v1/task`, { method: "POST", headers, body });
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "the state is saved on %s, and the next emulator continues from it",
  async (signal) => {
    const first = await start("--credits", "70", "--clock", "virtual");
    await first.control("POST", "/accounts", { credits: 5 });
    await first.control("POST", "/clock/advance", { seconds: 60 });
    const before = await first.control("GET", "/snapshot");
    expect(await first.end(signal)).toBe(0);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(before);
    expect(await readdir(directory)).toEqual(["state.json"]);

    const second = await start("--clock", "virtual");
    expect(second.line.api_key).toBe(first.line.api_key);
    expect(await second.control("GET", "/snapshot")).toEqual(before);
    expect(await second.end(signal)).toBe(0);
  },
);

test("after SIGKILL the last saved file is intact", async () => {
  const first = await start();
  await first.control("POST", "/accounts", { credits: 5 });
  await first.end("SIGTERM");
  const good = await readFile(file, "utf8");
  const second = await start();
  await second.control("POST", "/accounts", { credits: 5 });
  await second.end("SIGKILL");
  expect(await readFile(file, "utf8")).toBe(good);
});

test.skipIf(process.platform === "win32")(
  "the file is readable by its owner only, and a planted link is not followed",
  async () => {
    const { child, end } = await start();
    const other = join(directory, "other");
    await writeFile(other, "mine");
    for (const name of [`${file}.${child.pid}.tmp`, `${file}.tmp`]) await symlink(other, name);
    expect(await end("SIGTERM")).toBe(0);
    expect(await readFile(other, "utf8")).toBe("mine");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, "utf8")).state.accounts).toHaveLength(1);
  },
);

test("the saved state has every account whose creation was confirmed, also after the signal", async () => {
  const { child, control, ended, line } = await start();
  await createSongs(10, line);
  const confirmed: string[] = [line.account_id];
  const keepCreating = async () => {
    for (;;) confirmed.push((await control("POST", "/accounts", { credits: 5 })).account_id);
  };
  const refused = [1, 2, 3].map(() => keepCreating().catch(() => {}));
  await pause(50);
  child.kill("SIGTERM");
  await Promise.all(refused);
  expect((await ended).status).toBe(0);
  const { accounts } = JSON.parse(await readFile(file, "utf8")).state;
  const saved = accounts.map(({ id }: { id: string }) => id);
  expect(confirmed.filter((id) => !saved.includes(id))).toEqual([]);
});

test("SIGKILL during a save leaves the old file or the new one", async () => {
  const first = await start();
  await createSongs(5, first.line);
  expect(await first.end("SIGTERM")).toBe(0);
  let known = 1;
  for (const afterMs of [0, 4, 8, 12, 16, 20, 24, 28]) {
    const { control, child, end, line } = await start();
    expect(line.api_key).toBe(first.line.api_key);
    const { accounts } = await control("GET", "/state");
    expect([known, known + 1]).toContain(accounts.length);
    known = accounts.length;
    await control("POST", "/accounts", { credits: 5 });
    child.kill("SIGTERM");
    await pause(afterMs);
    await end("SIGKILL");
  }
});

test.each(["{", "[]", '{"version":1,"time":"2026-01-01T00:00:00.000Z","state":{}}'])(
  "an invalid file is one line and status 1, and is not changed: %s",
  async (text) => {
    await writeFile(file, text);
    const words = [
      "state.json: it is not the state of an emulator: ",
      ". Delete it, or choose another file.",
    ];
    expectOneLine(await (await start()).ended, 1, "Failed to open ", ...words);
    expect(await readFile(file, "utf8")).toBe(text);
  },
);

describe("a start that fails leaves no state file, and changes none", () => {
  const NO_COMMAND = ["--", "no-such-command-anywhere"];

  /** What makes a start fail, with the state file as it was before. */
  const FAILURES: Record<string, () => Promise<string[]>> = {
    "a taken port": async () => ["--port", new URL((await listen(() => {})).url).port],
    "a port that does not exist": async () => ["--port", "65536"],
    "an address of another machine": async () => ["--host", "192.0.2.1"],
    "an invalid host name": async () => ["--allow-host", "a/b"],
    "an invalid key": async () => ["--api-key", "live_1"],
    "an unknown policy option": async () => ["--policy", "no_such_option=1"],
    "an unknown flag": async () => ["--no-such-flag"],
    "a missing seed file": async () => ["--seed-file", join(directory, "missing.json")],
    "an invalid seed file": async () => {
      await writeFile(join(directory, "world.json"), '{ "accounts": [{ "credits": -1 }] }');
      return ["--seed-file", join(directory, "world.json")];
    },
    "a command that does not exist": async () => NO_COMMAND,
  };

  const filesIn = async (names: readonly string[]) =>
    Promise.all(names.map(async (name) => [name, await readFile(join(directory, name), "utf8")]));

  test.each(Object.entries(FAILURES))("%s", async (_, prepare) => {
    const flags = await prepare();
    for (const prepared of [async () => {}, async () => (await start()).end("SIGTERM")]) {
      await prepared();
      const before = await filesIn((await readdir(directory)).sort());
      const { status, stderr } = await (await start(...flags)).ended;
      expect(status).toBeOneOf([1, 2, 127]);
      expect(stderr).toMatch(/^async-music: /);
      expect(await filesIn((await readdir(directory)).sort())).toEqual(before);
    }
  });
});

test("a file that can't be written is refused at the start", async () => {
  file = join(directory, "missing", "state.json");
  expectOneLine(await (await start()).ended, 1, "Failed to save", "missing");
});

test("--api-key replaces the key in the file", async () => {
  const first = await start("--credits", "70");
  const { api_key: old } = first.line;
  await first.end("SIGTERM");
  const second = await start("--api-key", "emu_mine");
  const balanceWith = async (key: string) => {
    const response = await fetch(`${second.line.url}/api/v1/account/balance`, {
      headers: { "x-api-key": key },
    });
    return [response.status, (await response.json()).data?.available];
  };
  expect(second.line.api_key).toBe("emu_mine");
  expect(await balanceWith("emu_mine")).toEqual([200, 70]);
  expect(await balanceWith(old)).toEqual([401, undefined]);
  await second.end("SIGTERM");
  const third = await start();
  expect(third.line.api_key).toBe("emu_mine");
  await third.end("SIGTERM");
});

test.each([
  ["--seed", "2", "--seed"],
  ["--credits", "5", "--credits"],
  ["--policy", "audio_conversion=off", "--policy"],
])("%s %s with an existing file is one line and status 2", async (flag, value, named) => {
  await (await start()).end("SIGTERM");
  const before = await readFile(file, "utf8");
  expectOneLine(await (await start(flag, value)).ended, 2, named);
  expect(await readFile(file, "utf8")).toBe(before);
});

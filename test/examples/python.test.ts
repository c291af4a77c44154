import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { shownIn } from "../package/guides.js";
import { createFolder } from "../support/folder.js";
import { listen, replying } from "../support/loopback.js";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.skipIf(!hasPython).each([
  ["saves its song", []],
  [
    "continues after polls without a complete response",
    [{ kind: "disconnect", when: "after" }, { kind: "malformed" }],
  ],
])("the program in Python %s (needs python3)", async (_, faults) => {
  const folder = await createFolder();
  const add = faults.map((fault) => {
    const rule = JSON.stringify({ method: "GET", path: "/api/v1/task/*", fault });
    return `curl -fsS -o rule "$ASYNC_MUSIC_BASE_URL/_emulator/faults" -H "Content-Type: application/json" -d '${rule}'`;
  });
  const commands = [...add, `python3 ${resolve("examples/python/song.py")}`].join("\n");
  const emulator = [resolve("dist/cli.js"), "emulator", "--", "sh", "-euc", commands];
  const output = execFileSync(process.execPath, emulator, { cwd: folder, encoding: "utf8" });
  const names = [...output.matchAll(/^".*": (.*)$/gm)].map(([, name = ""]) => name);
  expect(output).toMatch(/^1000 credits are available\.\n(?:.*\n)*990 credits are left\.\n$/);
  expect(names).toEqual(["rain-1.mp3", "rain-2.mp3"]);
  for (const name of names) expect(statSync(join(folder, name)).size).toBeGreaterThan(10_000);
});

test.skipIf(!hasPython)("the program in Python names a WAV file so (needs python3)", async () => {
  const folder = await createFolder();
  const song = ["sh", "-euc", `python3 ${resolve("examples/python/song.py")}`];
  const emulator = [
    resolve("dist/cli.js"),
    "emulator",
    "--policy",
    "audio_conversion=failing",
    "--",
    ...song,
  ];
  const output = execFileSync(process.execPath, emulator, { cwd: folder, encoding: "utf8" });
  expect(output).toMatch(/: rain-1\.wav\n.*: rain-2\.wav\n/);
});

test.skipIf(!hasPython)(
  "the certified program follows no redirect, which would carry its key (needs python3)",
  async () => {
    const { url, arrivals } = await listen(replying(302, "", { Location: "/elsewhere" }));
    const env = { ...process.env, ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: "key" };
    const program = spawn("python3", ["examples/python/certified_song.py"], { env });
    expect(await text(program.stderr)).toContain("Status 302: a task may exist");
    expect(arrivals.map(({ path }) => path)).toEqual(["/api/v1/task"]);
  },
);

test.skipIf(!hasPython)(
  "the function in Python accepts only what the relay has signed (needs python3)",
  () => {
    const [shown] = shownIn("python").filter(({ name }) => name.startsWith("docs/webhooks.md"));
    const program = `${shown?.code}
import json, sys
given = json.load(sys.stdin)
print(json.dumps([is_genuine(given["secret"], headers, body.encode()) for headers, body in given["posts"]]))
`;
    const secretOf = (words: string) => `whsec_${Buffer.from(words).toString("base64")}`;
    const secret = secretOf("a secret of thirty-two bytes ...");
    const others = secretOf("another one of thirty-two bytes.");
    const body = JSON.stringify({ type: "order.succeeded", data: { key: "Straße – 1" } });
    const postOf = (signedWith: readonly string[], ageMs = 0, received = body) => {
      const sentAt = new Date(Date.now() - ageMs);
      const signatures = signedWith.map((each) => new Webhook(each).sign("delivery-1", sentAt, body));
      const headers = {
        "webhook-id": "delivery-1",
        "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
        "webhook-signature": signatures.join(" "),
      };
      return [headers, received];
    };
    const posts = [
      postOf([secret]),
      postOf([others, secret]),
      postOf([others]),
      postOf([secret], 0, `${body} `),
      postOf([secret], 600_000),
    ];
    const input = JSON.stringify({ secret, posts });
    const output = execFileSync("python3", ["-c", program], { input, encoding: "utf8" });
    expect(JSON.parse(output)).toEqual([true, true, false, false, false]);
  },
);

const hasPytest = spawnSync("pytest", ["--version"]).status === 0;

test.skipIf(!hasPytest)("the pytest fixture runs the tests of the guide (needs pytest)", async () => {
  const { status, stdout } = runPytest(await createPytestFolder());
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^2 passed in .*s$/m)]);
});

test.skipIf(!hasPytest).each([
  [
    "breaks a rule",
    "account.control('PUT', '/providers/provider_a/always', {'polls': 2})",
    /1 passed, 1 error/,
    "polled_too_often",
  ],
  [
    "breaks a rule that it names",
    "account.breaks.add('polled_too_often'); account.control('PUT', '/providers/provider_a/always', {'polls': 2})",
    /1 passed in/,
    "",
  ],
  [
    "does not use a fault of its own",
    "account.control('POST', '/faults', {'method': 'DELETE', 'fault': {'kind': 'malformed'}})",
    /1 passed, 1 error/,
    "No request matched these faults",
  ],
  [
    "does not use a fault of another account",
    "Account(account.url).control('POST', '/faults', {'fault': {'kind': 'malformed'}})",
    /1 passed in/,
    "",
  ],
])(
  "the pytest fixture checks its account after a test that %s (needs pytest)",
  async (_, line, end, text) => {
    const folder = await createPytestFolder();
    const code = [
      "from conftest import Account",
      "from test_song import order_song",
      "def test_account(account):",
      `    ${line}`,
      "    order_song(account.url, account.api_key, 'polka', poll_seconds=0)",
    ];
    writeFileSync(join(folder, "test_account.py"), code.join("\n"));
    const { stdout } = runPytest(folder, "test_account.py");
    expect(stdout).toMatch(end);
    expect(stdout).toContain(text);
  },
);

/** A folder with the installed package and the files of the guide. The first line of each file is a comment with its name. */
async function createPytestFolder(): Promise<string> {
  const folder = await createFolder();
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(resolve("dist/cli.js"), join(folder, "node_modules/.bin/async-music"));
  for (const { code } of shownIn("python")) {
    const [, name = ""] = /^# (.+)\n/.exec(code) ?? [];
    writeFileSync(join(folder, name), code);
  }
  return folder;
}

/** Runs the tests of a folder. A warning, such as the one about a process that still runs, fails the run. */
function runPytest(cwd: string, ...files: readonly string[]) {
  const flags = ["-q", "-W", "error", "-p", "no:cacheprovider"];
  return spawnSync("pytest", [...flags, ...files], { cwd, encoding: "utf8" });
}

test("the last response to the commands of the guide is the one that it shows", () => {
  const code = shownIn("sh").find((shown) => shown.code.includes("X-Emulator-Outcome"))?.code ?? "";
  const begunAt = Date.now();
  const emulator = [resolve("dist/cli.js"), "emulator", "--", "sh", "-euc", code];
  const output = execFileSync(process.execPath, emulator, { encoding: "utf8" });
  const { code: status, data } = JSON.parse(/\{"code":.*/.exec(output)?.[0] ?? "");
  const page = readFileSync("docs/other-languages.md", "utf8");
  const shown = JSON.parse(/The last response is .*?```json\n(.*?)```/s.exec(page)?.[1] ?? "");
  expect(shown).toEqual({ code: status, data: { ...data, created_at: shown.data.created_at } });
  expect(Date.parse(data.created_at)).toBeGreaterThanOrEqual(begunAt + 300_000);
  // The time of a virtual clock's start.
  expect(shown.data.created_at).not.toMatch(/^2026-01-01/);
});

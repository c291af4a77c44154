import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index.js";
import { createFolder, createTerminal } from "./support/terminal.js";

let emulator: Emulator;
let path: string;
beforeEach(async () => {
  emulator = createEmulator({ seed: 1, credits: 100 });
  path = join(await createFolder(), "journal");
  return () => emulator[Symbol.asyncDispose]();
});

const lyrics = (key: string) => ["run", "lyrics", "--prompt", "sea", "--journal", path, "--key", key];

test("orders lists the open keys of a journal with advice, and sends nothing", async () => {
  const { run } = createTerminal(emulator);
  await run(...lyrics("done"), "--no-download");
  const submitted = (await run(...lyrics("left"), "--no-wait")).stdout.trim();
  emulator.faults.add({ method: "POST", path: "/api/v1/task", fault: { kind: "disconnect", when: "after" } });
  await run(...lyrics("lost-rain"), "--no-download");
  const requests = emulator.requests.length;
  const requestId = emulator.requests.findLast(({ method }) => method === "POST")?.request_id;

  const { run: offline } = createTerminal(emulator, {
    env: { ASYNC_MUSIC_API_KEY: "", ASYNC_MUSIC_BASE_URL: "" },
  });
  const { status, stdout, stderr } = await offline("orders", "--journal", path);
  const since = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
  expect(status).toBe(0);
  expect(stdout).toMatch(
    new RegExp(
      `^left       submitted  ${since}  task ${submitted}\nlost-rain  unknown    ${since}  request ${requestId}\n$`,
    ),
  );
  expect(stderr).toMatch(/^submitted: .*\nunknown: .*async-music settle.*\n$/);

  const { orders } = JSON.parse((await offline("orders", "--journal", path, "--json")).stdout);
  expect(orders).toEqual([
    {
      key: "left",
      state: "submitted",
      task_id: submitted,
      request_id: expect.any(String),
      since: expect.any(String),
    },
    { key: "lost-rain", state: "intent", task_id: null, request_id: requestId, since: expect.any(String) },
  ]);
  expect(emulator.requests).toHaveLength(requests);
});

test("a key is no longer listed once its run has ended, even with a failure", async () => {
  emulator.providers.provider_a.next({ outcome: "failure" });
  const { run } = createTerminal(emulator);
  await run(...lyrics("sea"), "--no-wait");
  expect((await run("orders", "--journal", path)).stdout).toContain("sea");
  expect((await run(...lyrics("sea"), "--no-download")).status).toBe(10);
  expect(await run("orders", "--journal", path)).toEqual({
    status: 0,
    stdout: "",
    stderr: "No open orders.\n",
  });
});

test("orders lists the open keys beside a damaged entry, names it on stderr, and is status 16", async () => {
  const { run } = createTerminal(emulator);
  await run(...lyrics("done"), "--no-download");
  const [directory = ""] = await readdir(path);
  const [file = ""] = await readdir(join(path, directory));
  await writeFile(join(path, directory, file), "");
  await run(...lyrics("left"), "--no-wait");
  const { status, stdout, stderr } = await run("orders", "--journal", path);
  expect([status, stdout]).toEqual([16, expect.stringMatching(/^left {2}submitted {2}.*\n$/)]);
  expect(stderr).toContain(
    `Failed to read 1 of the journal's entries. Failed to read ${join(path, directory, file)}`,
  );
  const { error } = JSON.parse((await run("orders", "--journal", path, "--json")).stdout);
  expect(error).toMatchObject({ name: "JournalDamagedError", orders: [{ key: "left", state: "submitted" }] });
});

test("a journal that does not exist is status 2, and is not created", async () => {
  const { run } = createTerminal(emulator);
  for (const _ of [1, 2]) {
    const { status, stderr } = await run("orders", "--journal", path);
    expect([status, stderr]).toEqual([2, expect.stringContaining(path)]);
  }
});

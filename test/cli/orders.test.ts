import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTerminal, useTerminal } from "./support/terminal.js";

const its = useTerminal();

const lyrics = (key: string) => ["run", "lyrics", "--prompt", "sea", "--journal", its.journal, "--key", key];

test("orders lists the open keys of a journal with advice, and sends nothing", async () => {
  await its.run(...lyrics("done"), "--no-download");
  const submitted = (await its.run(...lyrics("left"), "--no-wait")).stdout.trim();
  its.emulator.faults.add({
    method: "POST",
    path: "/api/v1/task",
    fault: { kind: "disconnect", when: "after" },
  });
  await its.run(...lyrics("lost-rain"), "--no-download");
  const requests = its.emulator.requests.length;
  const requestId = its.emulator.requests.findLast(({ method }) => method === "POST")?.request_id;

  const { run: offline } = createTerminal(its.emulator, {
    env: { ASYNC_MUSIC_API_KEY: "", ASYNC_MUSIC_BASE_URL: "" },
  });
  const { status, stdout, stderr } = await offline("orders", "--journal", its.journal);
  const since = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
  expect(status).toBe(0);
  expect(stdout).toMatch(
    new RegExp(
      `^left       submitted  ${since}  task ${submitted}\nlost-rain  unknown    ${since}  request ${requestId}\n$`,
    ),
  );
  expect(stderr).toMatch(/^submitted: .*\nunknown: .*async-music settle.*\n$/);

  const { orders } = JSON.parse((await offline("orders", "--journal", its.journal, "--json")).stdout);
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
  expect(its.emulator.requests).toHaveLength(requests);
});

test("a key is no longer listed once its run has ended, even with a failure", async () => {
  its.emulator.providers.provider_a.next({ outcome: "failure" });
  await its.run(...lyrics("sea"), "--no-wait");
  expect((await its.run("orders", "--journal", its.journal)).stdout).toContain("sea");
  expect((await its.run(...lyrics("sea"), "--no-download")).status).toBe(10);
  expect(await its.run("orders", "--journal", its.journal)).toEqual({
    status: 0,
    stdout: "",
    stderr: "No open orders.\n",
  });
});

test("orders lists the open keys beside a damaged entry, names it on stderr, and is status 16", async () => {
  await its.run(...lyrics("done"), "--no-download");
  const [directory = ""] = await readdir(its.journal);
  const [file = ""] = await readdir(join(its.journal, directory));
  await writeFile(join(its.journal, directory, file), "");
  await its.run(...lyrics("left"), "--no-wait");
  const { status, stdout, stderr } = await its.run("orders", "--journal", its.journal);
  expect([status, stdout]).toEqual([16, expect.stringMatching(/^left {2}submitted {2}.*\n$/)]);
  expect(stderr).toContain(
    `Failed to read 1 of the journal's entries. Failed to read ${join(its.journal, directory, file)}`,
  );
  const { error } = JSON.parse((await its.run("orders", "--journal", its.journal, "--json")).stdout);
  expect(error).toMatchObject({ name: "JournalDamagedError", orders: [{ key: "left", state: "submitted" }] });
});

test("a journal that does not exist is status 2, and is not created", async () => {
  for (const _ of [1, 2]) {
    const { status, stderr } = await its.run("orders", "--journal", its.journal);
    expect([status, stderr]).toEqual([2, expect.stringContaining(its.journal)]);
  }
});

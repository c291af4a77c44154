import { expect, test } from "vitest";
import { createBreakingTerminal, createTerminal, expectOneLine, useTerminal } from "./support/terminal.js";

const its = useTerminal();

const paths = () => its.emulator.requests.map(({ method, path }) => `${method} ${path}`);
const keyed = (...flags: string[]) => its.lyrics("--journal", its.journal, "--key", "sea", ...flags);

test("run --no-wait writes the task ID and how to continue, and exits", async () => {
  const { status, stdout, stderr } = await its.lyrics("--no-wait");
  expect([status, paths()]).toEqual([0, ["POST /api/v1/task"]]);
  expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/);
  expect(stderr).toMatch(/^Task \S+ is submitted, and 5 credits .*\n/);
  expect(stderr).toMatch(new RegExp(`\nTo continue with the task:\n\n {2}async-music wait ${stdout}$`));

  const waited = await its.run("wait", stdout.trim(), "--no-download");
  expect([waited.status, waited.stdout]).toEqual([0, expect.stringMatching(/^\[Verse/)]);
});

test("with --json, the submission is one document", async () => {
  const { status, stdout } = await its.lyrics("--no-wait", "--json");
  const { task, ...others } = JSON.parse(stdout);
  expect([status, others]).toEqual([0, {}]);
  expect(task).toMatchObject({ type: "lyrics", status: "pending", credits_charged: 5, audio_format: null });
  expect(task.task_id).toMatch(/^[0-9a-f-]{36}$/);
});

test("with a journal, the same command continues later, and sends nothing for a key that has a task", async () => {
  const first = await keyed("--no-wait");
  expect(first.stderr).toMatch(
    /\nRun the same command without --no-wait to continue with the task, or:\n\n {2}async-music wait/,
  );

  await its.emulator.clock.advance(600_000);
  const before = paths();
  const second = await keyed("--no-wait");
  expect([second.status, second.stdout, paths()]).toEqual([0, first.stdout, before]);
  expect(second.stderr).toContain("nothing is sent or charged again");
  expect((await keyed("--no-download")).status).toBe(0);
  expect(its.bodies).toHaveLength(1);
});

test("nothing is sent for a key that was settled with a task ID", async () => {
  its.loseResponse();
  expect((await keyed("--no-wait")).status).toBe(9);
  const found = its.latestTaskId();
  await its.run("settle", "sea", "--journal", its.journal, "--task-id", found);

  const before = paths();
  expect(await keyed("--no-wait")).toMatchObject({ status: 0, stdout: `${found}\n` });
  const { stdout } = await keyed("--no-wait", "--json");
  expect(JSON.parse(stdout)).toEqual({ task: { task_id: found } });
  expect((await keyed("--format", "mp3", "--no-wait")).status).toBe(3);
  expect(paths()).toEqual(before);
});

test("a lost response is status 9, and no task ID is written", async () => {
  its.loseResponse();
  const { status, stdout, stderr } = await its.lyrics("--no-wait");
  expect([status, stdout]).toEqual([9, ""]);
  const reason =
    /^async-music: It is unknown whether a task was created and charged\. Failed to create a task: no readable response came from \S+\. \(request ID [\w-]+\)\nBefore/;
  expect(stderr).toMatch(reason);
  expect(stderr).toContain("async-music usage");
});

test("a task that the journal could not record is status 16, with the command to settle it", async () => {
  const { lyrics } = createBreakingTerminal(its.emulator, its.journal);
  const flags = ["--journal", its.journal, "--key", "sea", "--no-wait"];
  const { status, stdout, stderr } = await lyrics(...flags);
  expect([status, stdout]).toEqual([16, ""]);
  expect(stderr).toMatch(/\n {2}async-music settle sea --journal \S+ --task-id [0-9a-f-]{36}\n/);
  expect(stderr).toMatch(/To continue with the task:\n\n {2}async-music wait [0-9a-f-]{36}\n$/);
});

test.each([["--out", "songs/"], ["--force"], ["--max-wait", "10m"], ["--no-download"]])(
  "with %s it is a misuse, and nothing is sent",
  async (...flags) => {
    const result = await its.lyrics("--no-wait", ...flags);
    expectOneLine(result, 2, "error: option '--no-wait' cannot be used with option ", flags[0] ?? "");
    expect(paths()).toEqual([]);
  },
);

test("after `npx async-music`, the command that continues begins with npx", async () => {
  const { run } = createTerminal(its.emulator, { env: { npm_command: "exec" } });
  const { stdout, stderr } = await run("run", "lyrics", "--prompt", "sea", "--no-wait");
  expect(stderr).toMatch(new RegExp(`\n {2}npx async-music wait ${stdout}$`));
  expect((await run("run", "--help")).stdout).toContain("Usage: npx async-music run");
});

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AsyncMusic, type TaskRequest } from "async-music";
import { fileJournal } from "async-music/node";
import { beforeEach, describe, expect, test } from "vitest";
import { journalEntry } from "../support/journals.js";
import { createBreakingTerminal, createTerminal, expectOneLine, useTerminal } from "./support/terminal.js";

const UNKNOWN_ID = "0b9f3c2e-6a4d-4f3b-9a51-2f0c8b6d7e10";

const its = useTerminal();

const keyed = (...flags: string[]) => ["--journal", its.journal, "--key", "sea", ...flags];
const run = (...flags: string[]) => its.lyrics(...keyed("--no-download", ...flags));
const settle = (...flags: string[]) => its.run("settle", "sea", "--journal", its.journal, ...flags);
const orders = (...flags: string[]) => its.run("orders", "--journal", its.journal, ...flags);
const entry = () => fileJournal(its.journal).get("sea");
const submit = async (request: TaskRequest) =>
  (await new AsyncMusic(its.emulator.connection()).tasks.create(request)).task_id;
const submitLyrics = () => submit({ model: "provider_a", task_type: "lyrics", input: { prompt: "another" } });
const offline = () =>
  createTerminal(its.emulator, { env: { ASYNC_MUSIC_API_KEY: "", ASYNC_MUSIC_BASE_URL: "" } });

describe("run with a journal", () => {
  test("again is charged once, and writes the same result", async () => {
    const [first, second] = [await run(), await run()];
    expect([first.status, second.status, its.bodies.length]).toEqual([0, 0, 1]);
    expect(second.stdout).toBe(first.stdout);
    expect([first, second].map(({ stderr }) => /are frozen/.test(stderr))).toEqual([true, false]);
    expect(first.stderr).toContain("Done. It cost 5 credits (0.05 USD).");
    expect(second.stderr).toContain("nothing is sent or charged again");
    expect(second.stderr).toContain("Done. An earlier run with this journal key cost 5 credits (0.05 USD).");
    expect(second.stderr).not.toContain("It cost");
  });

  test("continues after the 404 of a gateway, as it advises", async () => {
    const fault = { kind: "status", status: 404, error_code: "not_found", when: "before" } as const;
    its.emulator.faults.add({ path: "/api/v1/task/*", fault });
    const [first, second] = [await run(), await run()];
    expect([first.status, second.status, its.bodies.length]).toEqual([6, 0, 1]);
    expect(first.stderr).toContain("Run the same command again to continue with the task");
    expect(first.stderr).not.toContain("another journal");
  });

  test("and another request for the same key is status 3", async () => {
    const { task } = JSON.parse((await run("--json")).stdout);
    const { status, stdout } = await run("--format", "mp3", "--json");
    expect([status, its.bodies.length]).toEqual([3, 1]);
    // The task of the key belongs to another request.
    const { error } = JSON.parse(stdout);
    expect([error.name, error.taskId]).toEqual(["JournalConflictError", null]);
    expect(error.message).toContain(task.task_id);
  });

  test("reports a lost response with its evidence, and never sends it again", async () => {
    its.loseResponse();
    const [first, second] = [await run(), await run()];
    expect([first.status, second.status, its.bodies.length]).toEqual([9, 9, 1]);
    expect(second.stderr).toContain("Run the same command again at ");
    await its.emulator.clock.advance(120_000);
    const third = await run();
    for (const { stderr } of [first, third]) {
      expect(stderr).toContain("one task more than before");
      expect(stderr).toContain("async-music usage");
      expect(stderr).toContain(
        "Running it again sends nothing. Before you settle the journal key, check whether",
      );
      expect(stderr).toContain(`\n  async-music settle sea --journal ${its.journal} --task-id TASK_ID\n`);
    }
    const notBefore = /Run the second one at \S+Z or later/;
    expect([notBefore.test(first.stderr), notBefore.test(third.stderr)]).toEqual([true, false]);
  });

  test("asks the service of the command, whatever the environment names", async () => {
    its.loseResponse();
    const { baseUrl } = its.emulator.connection();
    const elsewhere = createTerminal(its.emulator, {
      env: { ASYNC_MUSIC_BASE_URL: "https://elsewhere.test" },
    });
    const { stderr } = await elsewhere.lyrics(...keyed("--base-url", baseUrl));
    const commands = stderr.match(/^ {2}async-music .*/gm) ?? [];
    expect(commands.map((command) => command.includes(` --base-url ${baseUrl}`))).toEqual(
      Array(4).fill(true),
    );
  });

  test.each(["a\nb", "tab\there", "\u200B\u{E0041}'\\"])(
    "names the key %j as a shell reads it",
    async (key) => {
      its.loseResponse();
      const { stderr } = await its.lyrics("--journal", its.journal, "--key", key);
      const [, word = ""] = /^ {2}async-music settle (\S+) --journal .* --not-created$/m.exec(stderr) ?? [];
      expect(
        execFileSync("bash", ["-c", `printf %s ${word}`], { encoding: "utf8", env: { LC_ALL: "C.UTF-8" } }),
      ).toBe(key);
    },
  );

  test("does not advise to settle a key while another process may be sending its request", async () => {
    const request = { model: "provider_a", task_type: "lyrics", input: { prompt: "sea" } } as const;
    const since = its.emulator.clock.now();
    const at = new Date(since).toISOString();
    await fileJournal(its.journal).put("sea", journalEntry("intent", { request, at }), null);
    const { status, stdout, stderr } = await run("--json");
    const again = new Date(since + 120_000).toISOString();
    expect([status, its.bodies.length]).toEqual([9, 0]);
    expect(JSON.parse(stdout).error).toMatchObject({ checkAgainAt: again, journalKey: "sea" });
    expect(stderr).toContain(`Run the same command again at ${again} or later.`);
    expect(stderr).not.toContain("async-music settle");
    await its.emulator.clock.advance(since + 120_000 - its.emulator.clock.now());
    expect((await run()).stderr).toContain("--not-created");
  });

  test("keeps the key of a task that failed, and a retry needs another key", async () => {
    its.emulator.providers.provider_a.next({ outcome: "failure", retryable: true });
    const [first, second] = [await run(), await run()];
    expect([first.status, second.status, its.bodies.length]).toEqual([10, 10, 1]);
    for (const { stderr } of [first, second]) expect(stderr).toContain("use another --key");
    const { status, stderr } = await run("--format", "mp3");
    expect([status, stderr]).toEqual([3, expect.not.stringContaining("async-music wait")]);
    expect((await run("--key", "sea/2")).status).toBe(0);
  });

  describe("that fails while the request is in flight", () => {
    const breaking = (...flags: string[]) =>
      createBreakingTerminal(its.emulator, its.journal).lyrics(...keyed("--no-download", ...flags));

    test("writes the result, with a warning before the next run", async () => {
      const { status, stdout, stderr } = await breaking();
      expect([status, stdout]).toEqual([0, expect.stringMatching(/^\[Verse/)]);
      const [, taskId] = /Task (\S+) is submitted/.exec(stderr) ?? [];
      expect(stderr).toContain(`task ${taskId} was created, but could not be recorded`);
      expect(stderr).toContain(`\n  async-music settle sea --journal ${its.journal} --task-id ${taskId}\n`);
      expect(stderr).not.toContain("client.tasks");
    });

    test("does not advise to run the same command again", async () => {
      const { status, stderr } = await breaking("--max-wait", "1");
      expect(status).toBe(12);
      expect(stderr).toContain("could not be recorded");
      expect(stderr).not.toContain("Run the same command again");
      expect(stderr).toMatch(
        /To continue with the task:\n\n {2}async-music wait [0-9a-f-]{36} --no-download\n$/,
      );
    });
  });
});

describe("settle, for a key whose outcome is unknown", () => {
  beforeEach(async () => {
    its.loseResponse();
    expect((await run()).status).toBe(9);
  });

  test.each([
    ["--task-id=", "a UUID"],
    ["--task-id found", "a UUID"],
    ["--task-id clip-1", "a UUID"],
    [`--task-id ${UNKNOWN_ID}0`, "a UUID"],
    ["--task-id a --not-created", "Pass either"],
    ["--json", "Pass either"],
  ])("with %s is status 2, and nothing changes", async (flags, words) => {
    const before = await entry();
    const { status, stderr } = await settle(...flags.split(" "));
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(await entry()).toEqual(before);
  });

  test("reads the task once; if it does not exist, the status is 6 and nothing changes", async () => {
    const [before, taskId] = [await entry(), its.latestTaskId()];
    const { status, stderr } = await settle("--task-id", UNKNOWN_ID);
    expect([status, stderr]).toEqual([6, expect.stringContaining("task_not_found")]);
    expect(stderr).not.toContain("client.tasks");
    expect(await entry()).toEqual(before);

    const requests = its.emulator.requests.length;
    expect(await settle("--task-id", taskId)).toMatchObject({ status: 0, stderr: "" });
    expect(its.emulator.requests.slice(requests).map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /api/v1/task/${taskId}`,
    ]);
  });

  test("with a task of another type is status 2, and nothing changes", async () => {
    const before = await entry();
    const song = await submit({ model: "provider_b", task_type: "music", input: { prompt: "folk" } });
    const { status, stderr } = await settle("--task-id", song);
    expect([status, stderr]).toEqual([2, expect.stringContaining("is provider_b music")]);
    expect(await entry()).toEqual(before);
  });

  test("with --offline sends nothing, and needs no API key", async () => {
    const requests = its.emulator.requests.length;
    const settleOffline = (...flags: string[]) =>
      offline().run("settle", "sea", "--journal", its.journal, ...flags);
    expect((await settleOffline("--task-id", UNKNOWN_ID)).stderr).toContain("ASYNC_MUSIC_API_KEY");
    const found = ["--task-id", UNKNOWN_ID, "--offline"];
    expect((await settleOffline(...found)).stdout).toBe(
      `Key "sea" has task ${UNKNOWN_ID}. The next run with it waits for this task.\n`,
    );
    await its.emulator.clock.advance(120_000);
    expect((await settleOffline("--not-created")).stdout).toBe(
      'Key "sea" is free. The next run with it creates a task.\n',
    );
    expect((await settleOffline(...found)).stdout).toBe(
      `Key "sea" has task ${UNKNOWN_ID}. The next run with it waits for this task.\n`,
    );
    expect(its.emulator.requests).toHaveLength(requests);
  });

  test("with --not-created frees the key, and the next run is charged", async () => {
    await its.emulator.clock.advance(120_000);
    expect(await settle("--not-created")).toMatchObject({
      status: 0,
      stdout: 'Key "sea" is free. The next run with it creates a task.\n',
    });
    expect((await run()).status).toBe(0);
    expect(its.bodies).toHaveLength(2);
  });

  test("with --not-created is status 2 while the request may be in flight, unless --force says that it is not", async () => {
    const before = await entry();
    const since = Date.parse(before?.at ?? "");
    await its.emulator.clock.advance(since + 119_999 - its.emulator.clock.now());
    const early = await settle("--not-created");
    expect([early.status, early.stderr]).toEqual([2, expect.stringContaining("may still be in flight")]);
    expect(early.stderr).toContain(`at ${new Date(since + 120_000).toISOString()} or later`);
    expect(await entry()).toEqual(before);
    expect((await settle("--not-created", "--force")).status).toBe(0);
    expect(await entry()).toMatchObject({ state: "intent", settled: true });
    // A key that is free stays free, and a wrong task ID that was settled early is not exchanged for a second charge.
    expect((await settle("--not-created")).status).toBe(0);
    await settle("--task-id", UNKNOWN_ID, "--offline");
    expect((await settle("--not-created")).status).toBe(2);
    await its.emulator.clock.advance(1);
    expect((await settle("--not-created")).status).toBe(0);
  });

  test.each([
    [300_000, 390_000],
    [30_001, 120_001],
    [1, 120_000],
    [undefined, 120_000],
  ])("with --not-created after a run with `timeoutMs` %s is status 2 for %s ms", async (timeout_ms, ms) => {
    const since = its.emulator.clock.now();
    const limit = timeout_ms === undefined ? {} : { timeout_ms };
    const intent = journalEntry("intent", { at: new Date(since).toISOString(), ...limit });
    await fileJournal(its.journal).put("other", intent, null);
    await its.emulator.clock.advance(ms - 1);
    const settleOther = () => its.run("settle", "other", "--journal", its.journal, "--not-created");
    const early = await settleOther();
    expect([early.status, early.stderr]).toEqual([
      2,
      expect.stringContaining(`at ${new Date(since + ms).toISOString()} or later`),
    ]);
    await its.emulator.clock.advance(1);
    expect((await settleOther()).status).toBe(0);
  });

  test("corrects a wrong task ID, and the run continues with the right task", async () => {
    const taskId = its.latestTaskId();
    await settle("--task-id", await submitLyrics());
    expect(await settle("--task-id", taskId, "--json")).toMatchObject({
      status: 0,
      stdout: `${JSON.stringify({ key: "sea", task_id: taskId }, null, 2)}\n`,
    });
    expect(JSON.parse((await run("--json")).stdout).task.task_id).toBe(taskId);
    expect(its.bodies).toHaveLength(1);
  });

  test("refuses an unused key and a journal that does not exist", async () => {
    const typo = await its.run("settle", "see", "--journal", its.journal, "--not-created");
    expect([typo.status, typo.stderr]).toEqual([2, expect.stringContaining("no request under")]);
    const nowhere = await settle("--journal", join(its.folder, "nowhere"), "--not-created");
    expect([nowhere.status, nowhere.stderr]).toEqual([2, expect.stringContaining("nowhere")]);
  });
});

test.each(["orders", "settle", "run", "mcp"])(
  "%s refuses the URL of a database, and does not print it",
  async (command) => {
    const journal = ["--journal", "postgres://me:secret@localhost/music"];
    const words = {
      orders: ["orders", ...journal],
      settle: ["settle", "sea", ...journal, "--not-created"],
      run: ["run", "lyrics", "--prompt", "sea", ...journal, "--key", "sea"],
      mcp: ["mcp", ...journal, "--max-credits", "5", "--out", its.folder],
    }[command];
    const { status, stderr } = await its.run(...(words ?? []));
    expect([status, stderr]).toEqual([2, expect.stringContaining("file journal; got a postgres:// URL")]);
    expect(stderr).toContain("`open()` and `settleOutcome`");
    expect(stderr).not.toContain("secret");
    expect([existsSync("postgres:"), its.bodies]).toEqual([false, []]);
  },
);

test.each(["orders", "settle", "run", "batch"])("%s refuses a file as its journal", async (command) => {
  await writeFile(its.journal, "");
  const words = {
    orders: [],
    settle: ["sea", "--not-created"],
    run: ["lyrics", "--prompt", "sea", "--key", "sea"],
    batch: ["songs.jsonl", "--out", its.folder, "--max-credits", "5"],
  }[command];
  const result = await its.run(command, ...(words ?? []), "--journal", its.journal);
  expectOneLine(result, 2, `--journal must be a directory; "${its.journal}" is a file.`);
});

test.each(["orders", "batch"])("%s does not print a mistyped URL", async (command) => {
  const words = {
    orders: ["orders"],
    batch: ["batch", "songs.jsonl", "--out", its.folder, "--max-credits", "5"],
  }[command];
  const { status, stderr } = await its.run(...(words ?? []), "--journal", "postgres:/me:secret@db/x");
  expect([status, stderr]).toEqual([2, expect.stringContaining("looks like a mistyped URL")]);
  expect(stderr).not.toContain("secret");
});

test("settle accepts the command that an error advises, for a key that begins like a flag", async () => {
  its.loseResponse();
  const { stderr } = await run("--key", "--rain");
  const advised = stderr.split("\n").find((line) => line.includes("--not-created")) ?? "";
  expect(advised).toBe(`  async-music settle --journal ${its.journal} --not-created -- --rain`);
  const [, ...words] = advised.trim().split(" ");
  await its.emulator.clock.advance(120_000);
  expect(await its.run(...words)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Key "--rain" is free\./),
  });
});

test("settle never replaces a task that the service returned for the key: status 2", async () => {
  await run();
  const before = await entry();
  for (const finding of [["--task-id", await submitLyrics()], ["--not-created"]]) {
    const { status, stdout, stderr } = await settle(...finding, "--json");
    expect([status, JSON.parse(stdout).error.name]).toEqual([2, "UsageError"]);
    expect(stderr).toContain("which the service returned for this journal key");
  }
  expect(await entry()).toEqual(before);
});

describe("orders", () => {
  test("lists the open keys of a journal with advice, and sends nothing", async () => {
    await run("--key", "done");
    const submitted = (await its.lyrics(...keyed("--no-wait", "--key", "left"))).stdout.trim();
    its.loseResponse();
    await run("--key", "lost-rain");
    const requests = its.emulator.requests.length;
    const requestId = its.emulator.requests.findLast(({ method }) => method === "POST")?.request_id;

    const { status, stdout, stderr } = await offline().run("orders", "--journal", its.journal);
    const since = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
    const left = `left       submitted  ${since}  task ${submitted}`;
    const lost = `lost-rain  unknown    ${since}  request ${requestId}`;
    expect([status, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^${left}\n${lost}\n$`))]);
    expect(stderr).toMatch(/^submitted: .*\nunknown: .*async-music settle.*\n$/);
    const [, advised = ""] = /`async-music (settle[^`]*)`/.exec(stderr) ?? [];
    const settled = advised.replace("KEY", "lost-rain").replace("TASK_ID", its.latestTaskId());

    const json = await offline().run("orders", "--journal", its.journal, "--json");
    const [any, of] = [expect.any(String), { since: expect.any(String) }];
    expect(JSON.parse(json.stdout).orders).toEqual([
      { key: "left", state: "submitted", task_id: submitted, request_id: any, ...of },
      { key: "lost-rain", state: "intent", task_id: null, request_id: requestId, ...of },
    ]);
    expect(its.emulator.requests).toHaveLength(requests);
    expect((await its.run(...settled.split(" "))).status).toBe(0);
  });

  test("no longer lists a key once its run has ended, even with a failure", async () => {
    its.emulator.providers.provider_a.next({ outcome: "failure" });
    await its.lyrics(...keyed("--no-wait"));
    expect((await orders()).stdout).toContain("sea");
    expect((await run()).status).toBe(10);
    expect(await orders()).toEqual({ status: 0, stdout: "", stderr: "The journal has no open keys.\n" });
  });

  test("lists the open keys beside a damaged entry, names it on stderr, and is status 16", async () => {
    await run("--key", "done");
    const [directory = ""] = await readdir(its.journal);
    const [file = ""] = await readdir(join(its.journal, directory));
    const path = join(its.journal, directory, file);
    await writeFile(path, "");
    await its.lyrics(...keyed("--no-wait", "--key", "left"));
    const { status, stdout, stderr } = await orders();
    expect([status, stdout]).toEqual([16, expect.stringMatching(/^left {2}submitted {2}.*\n$/)]);
    expect(stderr).toContain(`Failed to read 1 of the journal's entries: Failed to read ${path}`);
    expect(JSON.parse((await orders("--json")).stdout).error).toMatchObject({
      name: "JournalDamagedError",
      orders: [{ key: "left", state: "submitted" }],
    });
  });

  test("of a journal that does not exist is status 2, and does not create it", async () => {
    for (const _ of [1, 2]) {
      const { status, stderr } = await orders();
      expect([status, stderr]).toEqual([2, expect.stringContaining(its.journal)]);
    }
  });
});

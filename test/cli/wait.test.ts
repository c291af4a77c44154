import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index.js";
import { AsyncMusic } from "../../src/index.js";
import { turns } from "../support/test-clock.js";
import { createFolder, createTerminal } from "./support/terminal.js";

let emulator: Emulator;
beforeEach(() => {
  emulator = createEmulator({ seed: 1, credits: 100 });
  return () => emulator[Symbol.asyncDispose]();
});

const submit = () =>
  new AsyncMusic(emulator.connection()).tasks.create({
    model: "provider_a",
    task_type: "lyrics",
    input: { prompt: "sea" },
  });

describe("async-music wait", () => {
  test("goes on with a task of an earlier command, and spends nothing", async () => {
    const { task_id: taskId } = await submit();
    const { run, bodies } = createTerminal(emulator);
    const { status, stdout } = await run("wait", taskId, "--no-download");
    expect([status, bodies]).toEqual([0, []]);
    expect(stdout).toMatch(/^\[Verse/);
    expect(emulator.audit()).toEqual([]);
  });

  test("shows a task that is over at once", async () => {
    const { task_id: taskId } = await submit();
    await emulator.clock.advance(600_000);
    const before = emulator.clock.now();
    const { run } = createTerminal(emulator);
    expect((await run("wait", taskId, "--no-download")).status).toBe(0);
    expect(emulator.clock.now() - before).toBeLessThan(1000);
  });

  test("outlasts an outage of the service", async () => {
    const { task_id: taskId } = await submit();
    emulator.faults.add({ method: "GET", times: 9, fault: { kind: "disconnect", when: "before" } });
    const { run } = createTerminal(emulator);
    expect((await run("wait", taskId, "--no-download")).status).toBe(0);
  });

  test("stops after --max-wait with status 12, and tells how to go on", async () => {
    emulator.providers.provider_a.next({ outcome: "hang" });
    const { task_id: taskId } = await submit();
    const { run } = createTerminal(emulator);
    const before = emulator.clock.now();
    const { status, stdout, stderr } = await run("wait", taskId, "--max-wait", "2m", "--out", "my songs/");
    expect([status, stdout]).toEqual([12, ""]);
    expect(stderr).toMatch(new RegExp(`\\n {2}async-music wait ${taskId} --out 'my songs/'\\n$`));
    expect(stderr).not.toContain("client.tasks");
    expect(emulator.clock.now() - before).toBeLessThan(130_000);
  });

  test.each(["nonsense", "0b9f3c2e-6a4d-4f3b-9a51-2f0c8b6d7e10"])(
    "knows no task %s: status 6",
    async (taskId) => {
      const { run } = createTerminal(emulator);
      const { status, stderr } = await run("wait", taskId);
      expect(status).toBe(6);
      expect(stderr).toMatch(
        /^async-music: .*task_not_found.*not a clip ID.*the key belongs to the account.*\n$/,
      );
      expect(stderr).not.toContain("client.tasks");
    },
  );

  test.each(["", "."])(
    "a text that can be no id, %j, is status 3, and nothing to go on with",
    async (taskId) => {
      const { status, stderr } = await createTerminal(emulator).run("wait", taskId);
      expect(status).toBe(3);
      expect(stderr).toMatch(/^async-music: .*task_not_found.*\n$/);
    },
  );

  test("a failed task is status 10, and nothing to go on with", async () => {
    const error = "The input names a clip that does not exist";
    emulator.providers.provider_a.next({
      outcome: "failure",
      error,
      error_code: "content_moderation",
      retryable: false,
    });
    const { task_id: taskId } = await submit();
    const { run } = createTerminal(emulator);
    const { status, stdout, stderr } = await run("wait", taskId, "--json");
    expect(status).toBe(10);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        name: "TaskFailedError",
        message: expect.stringContaining("refunded"),
        errorCode: "content_moderation",
        taskId,
        requestId: null,
        retryable: false,
        retryAfterSeconds: null,
        taskError: error,
      },
    });
    expect(stderr).not.toContain("async-music wait");
    expect(stderr.split(error)).toHaveLength(2);
  });
});

describe("Ctrl-C", () => {
  test("while a task is waited for tells its id and how to go on, with status 130", async () => {
    const { run, signal, listeners } = createTerminal(emulator);
    emulator.providers.provider_a.next({ outcome: "hang" });
    const { task_id: taskId } = await submit();
    let listening = -1;
    emulator.onRequest(() => {
      signal("SIGINT");
      listening = listeners.size;
    });
    const { status, stderr } = await run("wait", taskId);
    expect(status).toBe(130);
    // Another one ends the process at once, whatever still goes on.
    expect(listening).toBe(0);
    expect(stderr).toMatch(new RegExp(`\\n {2}async-music wait ${taskId}\\n$`));
    expect(listeners.size).toBe(0);
  });

  test("when the request is on its way lets the answer come, which names the task", async () => {
    const terminal = createTerminal(emulator);
    emulator.onRequest(({ method }) => method === "POST" && terminal.signal("SIGINT"));
    const { status, stdout, stderr } = await terminal.run("run", "-d", "rain", "--json");
    const { error } = JSON.parse(stdout);
    expect([status, error.name]).toEqual([130, "Interrupted"]);
    expect(error.taskId).toMatch(/^[0-9a-f-]{36}$/);
    expect(stderr).toContain(`  async-music wait ${error.taskId}\n`);
  });

  test.each([
    ["a second one", (signal: () => void) => signal()],
    ["two seconds without an answer", () => void vi.advanceTimersByTime(1)],
  ])("when the request is on its way is followed by %s, and its outcome is unknown", async (_, follow) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    emulator.faults.add({ method: "POST", fault: { kind: "stall" } });
    const terminal = createTerminal(emulator);
    const signal = () => terminal.signal("SIGINT");
    let isOver = false;
    let wasOver = true;
    const interrupt = async () => {
      signal();
      vi.advanceTimersByTime(1999);
      await turns(5);
      wasOver = isOver;
      follow(signal);
    };
    emulator.onRequest(() => void interrupt());
    const { status, stdout } = await terminal.run("run", "-d", "rain", "--json").finally(() => {
      isOver = true;
    });
    expect(wasOver).toBe(false);
    expect([status, JSON.parse(stdout).error.name]).toEqual([9, "SubmissionOutcomeUnknownError"]);
  });

  test("when the request is on its way and the answer refuses it says that there is no task", async () => {
    await using poor = createEmulator({ credits: 1 });
    const terminal = createTerminal(poor);
    poor.onRequest(() => terminal.signal("SIGTERM"));
    const { status, stderr } = await terminal.run("run", "-d", "rain");
    expect(status).toBe(5);
    expect(stderr).toContain("insufficient_credits");
  });

  test("while the audio is saved leaves nothing half done, and tells how to get it", async () => {
    const folder = await createFolder();
    emulator.providers.provider_a.next({ outcome: "success", clips: 1 });
    const terminal = createTerminal(emulator);
    emulator.onRequest(({ path }) => !path.startsWith("/api/") && terminal.signal("SIGINT"));
    const { status, stdout, stderr } = await terminal.run("run", "-d", "rain", "--out", `${folder}/rain`);
    expect([status, stdout, await readdir(folder)]).toEqual([130, "", []]);
    expect(stderr).toMatch(/\n {2}async-music wait [0-9a-f-]{36} --out \S+\/rain\n$/);
  });

  test("before anything is sent says that there is no task", async () => {
    emulator.faults.add({
      method: "POST",
      fault: { kind: "status", status: 429, retry_after_seconds: 30, when: "before" },
    });
    const terminal = createTerminal(emulator);
    emulator.onRequest(() => terminal.signal("SIGINT"));
    const { status, stderr } = await terminal.run("run", "-d", "rain");
    expect(status).toBe(130);
    expect(stderr).toContain("This command created no task.");
    expect(stderr).not.toContain("async-music wait");
  });

  test("with a journal records the task first", async () => {
    const terminal = createTerminal(emulator);
    const folder = await createFolder();
    const stop = emulator.onRequest(({ method }) => method === "POST" && terminal.signal("SIGINT"));
    const line = ["run", "-d", "rain", "--no-download", "--journal", join(folder, "j"), "--key", "k"];
    expect((await terminal.run(...line)).status).toBe(130);
    stop();
    expect((await terminal.run(...line)).status).toBe(0);
    expect(terminal.bodies.length).toBe(1);
  });
});

test("the account's credits are a table, and the service's own words with --json", async () => {
  await submit();
  const { run } = createTerminal(emulator);
  expect((await run("balance")).stdout).toBe(
    "available   95 credits  0.95 USD\nfrozen       5 credits  0.05 USD\ntotal      100 credits  1.00 USD\n",
  );
  expect((await run("usage")).stdout).toBe(
    "tasks created        1\ncredits used         5 credits  0.05 USD, including refunded ones\ncredits topped up  100 credits  1.00 USD\n",
  );
  expect(JSON.parse((await run("balance", "--json")).stdout)).toEqual({
    available: 95,
    frozen: 5,
    total: 100,
  });
  expect(JSON.parse((await run("usage", "--json")).stdout)).toEqual({
    tasks_created: 1,
    credits_used: 5,
    credits_topped_up: 100,
  });
});

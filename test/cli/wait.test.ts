import { readdir } from "node:fs/promises";
import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { turns } from "../support/test-clock.js";
import { task } from "./support/drift.js";
import { createChangedTerminal, createTerminal, expectOneLine, useTerminal } from "./support/terminal.js";

const its = useTerminal();

const LYRICS = { model: "provider_a", task_type: "lyrics", input: { prompt: "sea" } } as const;
const submit = async () => (await new AsyncMusic(its.emulator.connection()).tasks.create(LYRICS)).task_id;

describe("async-music wait", () => {
  test("continues with a task of an earlier command, and costs nothing", async () => {
    const taskId = await submit();
    const { status, stdout } = await its.run("wait", taskId, "--no-download");
    expect([status, its.bodies]).toEqual([0, []]);
    expect(stdout).toMatch(/^\[Verse/);
    expect(its.emulator.audit()).toEqual([]);
  });

  test("returns at once for a task that has ended", async () => {
    const taskId = await submit();
    await its.emulator.clock.advance(600_000);
    const before = its.emulator.clock.now();
    expect((await its.run("wait", taskId, "--no-download")).status).toBe(0);
    expect(its.emulator.clock.now() - before).toBeLessThan(1000);
  });

  test.each([null, { result: null }])(
    "prints `null` for a task of a later type with the output %j",
    async (output) => {
      const taskId = await submit();
      const { run } = createChangedTerminal(
        its.emulator,
        task(() => ({ type: "video", output })),
      );
      const { status, stdout } = await run("wait", taskId, "--no-download");
      expect([status, stdout]).toEqual([0, "null\n"]);
    },
  );

  test("survives an outage of the service", async () => {
    const taskId = await submit();
    its.emulator.faults.add({ method: "GET", times: 9, fault: { kind: "disconnect", when: "before" } });
    expect((await its.run("wait", taskId, "--no-download")).status).toBe(0);
  });

  test("stops after --max-wait with status 12, and writes how to continue", async () => {
    its.emulator.providers.provider_a.next({ outcome: "hang" });
    const taskId = await submit();
    const before = its.emulator.clock.now();
    const flags = ["--max-wait", "2m", "--out", "my songs/"];
    const { status, stdout, stderr } = await its.run("wait", taskId, ...flags);
    expect([status, stdout]).toEqual([12, ""]);
    expect(stderr).toMatch(new RegExp(`\\n {2}async-music wait ${taskId} --out 'my songs/'\\n$`));
    expect(stderr).not.toContain("client.tasks");
    expect(its.emulator.clock.now() - before).toBeLessThan(130_000);
  });

  test.each([
    ["nonsense", 6, /not a clip ID.*the API key belongs to its account/],
    ["0b9f3c2e-6a4d-4f3b-9a51-2f0c8b6d7e10", 6, /not a clip ID.*the API key belongs to its account/],
    [".", 3, /task_not_found/],
  ])("with the unknown or invalid ID %j is status %i, without a command to continue", async (...row) => {
    const [taskId, expected, words] = row;
    const { status, stderr } = await its.run("wait", taskId);
    expect([status, stderr]).toEqual([expected, expect.stringMatching(words)]);
    expect(stderr).toMatch(/^async-music: .*task_not_found.*\n$/);
    expect(stderr).not.toContain("client.tasks");
  });

  test("refuses an empty ID, as of a variable that is not set", async () => {
    expectOneLine(await its.run("wait", ""), 2, "The task ID is empty.");
  });

  test("has status 10 for a failed task, without a command to continue", async () => {
    const error = "The input names no clip that such a task can use";
    its.emulator.providers.provider_a.next({
      outcome: "failure",
      error,
      error_code: "content_moderation",
      retryable: false,
    });
    const taskId = await submit();
    const { status, stdout, stderr } = await its.run("wait", taskId, "--json");
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
  test("during the wait writes the task ID and how to continue, with status 130", async () => {
    its.emulator.providers.provider_a.next({ outcome: "hang" });
    const taskId = await submit();
    let listening = -1;
    its.emulator.onRequest(() => {
      its.signal("SIGINT");
      listening = its.listeners.size;
    });
    const { status, stderr } = await its.run("wait", taskId);
    expect(status).toBe(130);
    // A second one ends the process at once.
    expect(listening).toBe(0);
    expect(stderr).toMatch(new RegExp(`\\n {2}async-music wait ${taskId}\\n$`));
    expect(its.listeners.size).toBe(0);
  });

  test.each([["--no-download"], ["--no-wait"]])(
    "while the request is in flight waits for the response, which names the task",
    async (...flags) => {
      its.emulator.onRequest(({ method }) => method === "POST" && its.signal("SIGINT"));
      const { status, stdout, stderr } = await its.song("--json", ...flags);
      const { error } = JSON.parse(stdout);
      expect([status, error.name]).toEqual([130, "Interrupted"]);
      expect(error.taskId).toMatch(/^[0-9a-f-]{36}$/);
      expect(stderr).toContain(`  async-music wait ${error.taskId}`);
    },
  );

  test.each([
    ["a second one", (signal: () => void) => signal()],
    ["two seconds without a response", () => void vi.advanceTimersByTime(1)],
  ])("while the request is in flight, followed by %s, leaves the outcome unknown", async (_, follow) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    its.emulator.faults.add({ method: "POST", fault: { kind: "stall" } });
    const signal = () => its.signal("SIGINT");
    let isOver = false;
    let wasOver = true;
    const interrupt = async () => {
      signal();
      vi.advanceTimersByTime(1999);
      await turns(5);
      wasOver = isOver;
      follow(signal);
    };
    its.emulator.onRequest(() => void interrupt());
    const { status, stdout } = await its.song("--json").finally(() => {
      isOver = true;
    });
    expect(wasOver).toBe(false);
    expect([status, JSON.parse(stdout).error.name]).toEqual([9, "SubmissionOutcomeUnknownError"]);
  });

  test("while the request is in flight has the status of the error if the request is refused", async () => {
    await using poor = createEmulator({ credits: 1 });
    const terminal = createTerminal(poor);
    poor.onRequest(() => terminal.signal("SIGTERM"));
    const { status, stderr } = await terminal.song();
    expect(status).toBe(5);
    expect(stderr).toContain("insufficient_credits");
  });

  test("while the audio is saved leaves no partial file, and writes how to continue", async () => {
    its.emulator.providers.provider_a.next({ outcome: "success", clips: 1 });
    its.emulator.onRequest(({ path }) => !path.startsWith("/api/") && its.signal("SIGINT"));
    const { status, stdout, stderr } = await its.song("--out", `${its.folder}/rain`);
    expect([status, stdout, await readdir(its.folder)]).toEqual([130, "", []]);
    expect(stderr).toMatch(/\n {2}async-music wait [0-9a-f-]{36} --out \S+\/rain\n$/);
  });

  test("before anything is sent creates no task, and writes so", async () => {
    its.emulator.faults.add({
      method: "POST",
      fault: { kind: "status", status: 429, retry_after_seconds: 30, when: "before" },
    });
    its.emulator.onRequest(() => its.signal("SIGINT"));
    const { status, stderr } = await its.song();
    expect(status).toBe(130);
    expect(stderr).toContain("This command created no task.");
    expect(stderr).not.toContain("async-music wait");
  });

  test("with a journal exits after the task is recorded", async () => {
    const stop = its.emulator.onRequest(({ method }) => method === "POST" && its.signal("SIGINT"));
    const keyed = ["--no-download", "--journal", its.journal, "--key", "k"];
    expect((await its.song(...keyed)).status).toBe(130);
    stop();
    expect((await its.song(...keyed)).status).toBe(0);
    expect(its.bodies.length).toBe(1);
  });
});

test("balance and usage write a table, and the response with --json", async () => {
  await submit();
  expect((await its.run("balance")).stdout).toBe(
    "available  95 credits (0.95 USD)\nfrozen     5 credits (0.05 USD)\ntotal      100 credits (1.00 USD)\n",
  );
  expect((await its.run("usage")).stdout).toBe(
    "tasks created      1\ncredits used       5 credits (0.05 USD), including refunded ones\ncredits topped up  100 credits (1.00 USD)\n",
  );
  const documentOf = async (command: string) => JSON.parse((await its.run(command, "--json")).stdout);
  expect(await documentOf("balance")).toEqual({ available: 95, frozen: 5, total: 100 });
  expect(await documentOf("usage")).toEqual({ tasks_created: 1, credits_used: 5, credits_topped_up: 100 });
});

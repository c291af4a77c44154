import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Emulator } from "../../emulator/index.js";
import { AsyncMusic } from "../../src/index.js";
import {
  account,
  type Deviation,
  header,
  linesOf,
  runDrift,
  status as statusOf,
  withBody,
} from "./support/drift.js";
import { createFolder } from "./support/terminal.js";

const LYRICS = { model: "provider_a", task_type: "lyrics", input: { prompt: "sea" } } as const;

describe("tests that --max-credits does not allow", () => {
  test.each([
    [0, "No drift in 11 of 26 tests (", "; 15 skipped: --max-credits 20 runs all."],
    [3, "No drift in 19 of 28 tests (", "; 9 skipped: --max-credits 20 runs all."],
    [19, "No drift in 28 of 29 tests (", "; 1 skipped: --max-credits 20 runs all."],
  ])("are counted in the first line, with status 0: %i credits", async (maxCredits, start, end) => {
    const { status, stdout } = await runDrift({ maxCredits, text: { isTerminal: false } });
    const [first = ""] = stdout.split("\n");
    expect([status, first.slice(0, start.length), first.slice(-end.length)]).toEqual([0, start, end]);
  });

  test("are counted beside drift, with status 1", async () => {
    const deviation = statusOf(404, 410);
    const { status, stdout } = await runDrift({ maxCredits: 3, deviation, text: { isTerminal: false } });
    expect(stdout).toMatch(/^Drift in \d+ of \d+ fields: 19 of 28 tests compared; 9 skipped: /);
    expect(status).toBe(1);
  });
});

test("drift beside a lost response has status 1", async () => {
  const { status, report } = await runDrift({
    prepare: ({ faults }) => faults.add({ method: "POST", fault: { kind: "disconnect", when: "before" } }),
    deviation: statusOf(404, 410),
  });
  expect(report?.incomplete).toHaveLength(1);
  expect(status).toBe(1);
});

/** Another program, which starts after some seconds. */
function otherProgram(seconds: number, run: (client: AsyncMusic, emulator: Emulator) => unknown) {
  return async (emulator: Emulator) => {
    const connection = emulator.connection();
    await connection.clock.sleep(1000 * seconds);
    await run(new AsyncMusic(connection), emulator);
  };
}

describe("an account that another program uses", () => {
  test.each([
    ["during the rate limit window", 60, 0],
    ["while a task of the check runs", 133, 30],
  ])("is reported, with status 2 and without its changes: %s", async (_, seconds, maxCredits) => {
    const meanwhile = otherProgram(seconds, (client) => client.tasks.run(LYRICS));
    const { status, report } = await runDrift({ maxCredits, meanwhile });
    expect([linesOf(report), status]).toEqual([[], 2]);
    expect(report?.account_changes.map(({ changes }) => changes["tasks_created"])).toContain(1);
    expect(report?.credits.spent).toBe(maxCredits);
    expect(report?.skipped.filter(({ credits }) => credits === 0)).toEqual([]);
  });

  test("is reported if a task that ran at the start ends meanwhile", async () => {
    let taskId = "";
    const { status, report } = await runDrift({
      async meanwhile(emulator) {
        taskId = (await new AsyncMusic(emulator.connection()).tasks.create(LYRICS)).task_id;
        await otherProgram(133, (client) => client.tasks.wait(taskId))(emulator);
      },
    });
    expect([linesOf(report), status]).toEqual([[], 2]);
    expect(report?.account_changes).toMatchObject([{ changes: { frozen: -5 } }]);
  });

  test("is reported if such a task ends while a request is refused", async () => {
    let read: () => Promise<unknown> = async () => {};
    const { status, report } = await runDrift({
      maxCredits: 3,
      prepare(emulator) {
        const client = new AsyncMusic(emulator.connection());
        emulator.providers.provider_a.next({ polls: 1 });
        const created = client.tasks.create(LYRICS);
        read = async () => client.tasks.retrieve((await created).task_id);
      },
      async deviation(response, { method }) {
        if (method === "POST") await read();
        return response;
      },
    });
    expect([linesOf(report), status]).toEqual([[], 2]);
    expect(report?.account_changes).toMatchObject([{ changes: { frozen: -5 } }]);
  });

  test("is reported if another program only reads with its key", async () => {
    const meanwhile = otherProgram(60, async (client, emulator) => {
      const { clock } = emulator.connection();
      for (let reads = 0; reads < 12; reads++) {
        await client.account.balance();
        await clock.sleep(5000);
      }
    });
    const { status, report } = await runDrift({ maxCredits: 3, meanwhile });
    expect([linesOf(report), status]).toEqual([[], 2]);
    expect(report?.account_changes).toMatchObject([{ changes: { "X-RateLimit-Remaining": -8 } }]);
  });

  test.each([60, 133])("is reported if it is topped up after %i s", async (seconds) => {
    const meanwhile = otherProgram(seconds, (_, { accounts, accountId }) =>
      accounts.topUp(accountId, { method: "card", usd: 10 }),
    );
    const { status, report } = await runDrift({ meanwhile });
    expect([linesOf(report), status]).toEqual([[], 2]);
    expect(report?.account_changes).toMatchObject([{ changes: { credits_topped_up: 1000 } }]);
  });

  test("is named in the text, and other drift has status 1", async () => {
    const meanwhile = otherProgram(60, (client) => client.tasks.create(LYRICS));
    const deviation = statusOf(404, 410);
    const { status, stdout } = await runDrift({ meanwhile, deviation, text: { isTerminal: false } });
    expect(stdout).toContain(
      "\nThe account changed meanwhile: available by -5, frozen by 5, tasks_created by 1, credits_used by 5 (rate limit window).",
    );
    expect(stdout).toContain("unknown task, response: status is 410, in the emulator 404 (2 times)\n");
    expect(stdout).not.toContain("credits after");
    expect(status).toBe(1);
  });

  test("is not confused with a service that counts a task late", async () => {
    let counted = 0;
    const { status, report } = await runDrift({
      deviation: account("usage", ({ tasks_created: now }) => {
        const tasks_created = counted;
        counted = Number(now);
        return { tasks_created };
      }),
    });
    expect([report?.account_changes, status]).toEqual([[], 1]);
    expect(linesOf(report)).toContain(
      "continuation of an unknown clip, credits after the response: tasks_created 0 <> 1",
    );
  });
});

describe("a signal", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s shows what is known until then, with status %i", async (signal, status) => {
    const path = join(await createFolder(), "drift.md");
    const args = ["--report", path];
    const ended = await runDrift({ signal, args, deviation: statusOf(404, 410) });
    expect(ended.status).toBe(status);
    expect(ended.stderr).toContain(
      `async-music: Interrupted by ${signal}.\nA task that was created continues`,
    );
    const { report, emulator } = ended;
    expect(linesOf(report)).toContain("unknown task, response: status 410 <> 404");
    expect(report?.tests.length).toBeGreaterThan(15);
    expect(report?.incomplete[0]).toMatchObject({ reason: `Interrupted by ${signal}.` });
    expect(Number(report?.tests.length) + Number(report?.incomplete.length)).toBe(31);
    expect(report?.credits).toEqual({
      spent: emulator.accounts.get(emulator.accountId).balance.frozen,
      allowed: 20,
    });
    expect(await readFile(path, "utf8")).toMatch(
      /^# Drift report\n\nDrift in \d+ of \d+ fields: \d+ of 30 tests/,
    );
    expect(emulator.requests.length).toBeLessThan(100);
  });

  test("lists the tests without a result under one reason", async () => {
    const { stdout } = await runDrift({ signal: "SIGINT", text: { isTerminal: false } });
    expect(stdout).toMatch(
      /^No drift in \d+ of 30 tests \(\d+ fields\); \d+ without a result\.\n\d+ of at most 20 credits/,
    );
    expect(stdout.split("No result: Interrupted by SIGINT.\n")).toHaveLength(2);
    expect(stdout).toContain("\n  lyrics\n");
  });
});

test("a terminal shows the test and the time while a test runs", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { stderr } = await runDrift({
    maxCredits: 0,
    text: { isTerminal: true },
    env: { NO_COLOR: "1" },
    deviation(response) {
      vi.advanceTimersByTime(200);
      return response;
    },
  });
  const written = stderr.replaceAll("\r\u001B[2K", "\n");
  expect(written).toMatch(/^. 9\/30 rate limit window {2}1:4\d$/m);
  expect(written).toMatch(/^. 10\/30 body that is not JSON {2}2:0\d$/m);
  expect(vi.getTimerCount()).toBe(0);
});

test("a body that is not JSON is compared as a whole", async () => {
  const { report } = await runDrift({
    maxCredits: 0,
    deviation: (response, { url }) => (url.endsWith("/usage") ? new Response("<p>", response) : response),
  });
  expect(linesOf(report).filter((line) => line.startsWith("usage"))).toEqual([
    "usage, response: body not JSON <> JSON object",
  ]);
});

test("differences with one cause are one entry, with a count", async () => {
  const { report } = await runDrift({ deviation: header("X-Request-Id", null) });
  expect(report?.drift).toMatchObject([
    { test: "balance", field: "X-Request-Id header", service: "missing", emulator: "the request's" },
    {
      test: "no request ID",
      field: "X-Request-Id header",
      service: "missing",
      emulator: "the service's own",
    },
  ]);
  expect(report?.drift[0]?.count).toBeGreaterThan(30);
  expect(report?.drift[0]?.tests).toEqual(
    expect.arrayContaining(["balance", "lyrics", "song by provider_b"]),
  );
});

test("reads that fail while a task is pending are drift, and show no policy", async () => {
  const { report, status } = await runDrift({ deviation: failedWhilePending() });
  expect(report?.drift).toMatchObject([{ part: "failed read", service: "status 404" }]);
  expect(report?.policy).not.toHaveProperty("running_after");
  expect(status).toBe(1);
});

function failedWhilePending(): Deviation {
  return async (response, { method }) => {
    if (method !== "GET" || response.headers.get("Content-Type") !== "application/json") return response;
    const { data } = await response.clone().json();
    if (data?.status !== "pending") return response;
    return withBody(response, { code: 404, error_code: "task_not_found", message: "No such task." }, 404);
  };
}

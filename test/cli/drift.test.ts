import { readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createEmulator, type Emulator, type Policy } from "../../emulator/index.js";
import { account, type Deviation, type DriftOptions, json, linesOf, runDrift } from "./support/drift.js";
import { createFolder, createTerminal } from "./support/terminal.js";

const SHOWN = [
  "invalid_audio_format_status",
  "audio_conversion",
  "mixed_field_sets",
  "null_audio_format",
  "rate_limit_window",
  "running_after",
] as const satisfies (keyof Policy)[];

describe("an unchanged emulator", () => {
  test.each([1, 2, 3, 4])("has no drift, and its policy is shown: seed %i", async (seed) => {
    const { status, report, emulator } = await runDrift({ options: { seed, policy: "vary" } });
    expect([linesOf(report), status]).toEqual([[], 0]);
    for (const field of SHOWN)
      expect([field, report?.policy[field]]).toEqual([field, emulator.policy[field]]);
    expect(emulator.audit()).toEqual([]);
  });

  test.each<Partial<Policy>>([
    {},
    { audio_conversion: "off", audio_format_unavailable_status: 499 },
    { audio_conversion: "failing", null_audio_format: "omitted" },
    { invalid_audio_format_status: 418, mixed_field_sets: "named_only" },
    { running_after: "first_read", rate_limit_window: "sliding" },
  ])("has no drift with the policy %j", async (policy) => {
    const { status, report } = await runDrift({ options: { seed: 9, policy } });
    expect([linesOf(report), status]).toEqual([[], 0]);
    expect(report?.policy).toMatchObject(policy);
  });

  test.each([0, 4, 12])("has no drift with %i credits: the refusals agree", async (credits) => {
    const { status, report } = await runDrift({ options: { credits } });
    expect([linesOf(report), status]).toEqual([[], 0]);
  });

  test.each([
    ["slow tasks", { process_seconds: 900 }],
    ["tasks that end at a read", { polls: 3 }],
    ["alternate addresses", { alternate_urls: ["https://example.com/a.mp3"] }],
  ])("has no drift with %s", async (_, outcome) => {
    const { report } = await runDrift({
      prepare({ providers: { provider_a, provider_b } }) {
        provider_a.always(outcome);
        provider_b.always(outcome);
      },
    });
    expect(linesOf(report)).toEqual([]);
  });

  const limited = { kind: "status", status: 429, retry_after_seconds: 20, when: "before" } as const;
  const broken = (status: number) => ({ kind: "status", status, when: "after" }) as const;

  test.each<[string, Parameters<Emulator["faults"]["add"]>[0]]>([
    ["a read without a response", { method: "GET", times: 2, fault: { kind: "disconnect", when: "before" } }],
    ["a read with a 500", { path: "/api/v1/account/*", times: 2, fault: broken(500) }],
    ["a read of a task with a 502", { path: "/api/v1/task/*", times: 1, fault: broken(502) }],
    ["a slow read", { path: "/api/v1/account/usage", fault: { kind: "latency", ms: 4000 } }],
    ["a 429 on a read", { method: "GET", fault: limited }],
    ["a 429 on a POST", { method: "POST", fault: limited }],
  ])("has no drift after %s", async (_, fault) => {
    const { status, report, emulator } = await runDrift({ prepare: ({ faults }) => faults.add(fault) });
    expect([linesOf(report), status]).toEqual([[], 0]);
    expect(emulator.audit()).toEqual([]);
  });
});

function countTasks({ accounts, accountId }: Emulator): number {
  return accounts.get(accountId).ledger.filter(({ kind }) => kind === "freeze").length;
}

/** The most credits that tasks held or had cost at any time. */
function mostSpent({ accounts, accountId }: Emulator): number {
  let [spent, most] = [0, 0];
  for (const { kind, credits } of accounts.get(accountId).ledger) {
    if (kind === "freeze") spent += credits;
    if (kind === "refund") spent -= credits;
    most = Math.max(most, spent);
  }
  return most;
}

describe("--max-credits", () => {
  test.each([0, 1, 5, 10, 16, 19])("%i are never exceeded", async (maxCredits) => {
    const policy = { mixed_field_sets: "named_only", null_audio_format: "omitted" } as const;
    const { report, emulator } = await runDrift({ maxCredits, options: { policy } });
    expect(mostSpent(emulator)).toBeLessThanOrEqual(maxCredits);
    expect(report?.credits.spent).toBe(mostSpentAtEnd(emulator));
    expect(report?.skipped).not.toEqual([]);
    expect(linesOf(report)).toEqual([]);
  });

  test.each<[string, DriftOptions]>([
    ["all responses are lost", { prepare: loseResponses(100) }],
    ["all tasks hang", { prepare: always({ outcome: "hang" }) }],
    ["all tasks fail", { prepare: always({ outcome: "failure" }) }],
  ])("are not exceeded if %s", async (_, options) => {
    const { emulator } = await runDrift({ maxCredits: 12, ...options });
    expect(mostSpent(emulator)).toBeLessThanOrEqual(12);
  });

  test("count a failure that is charged, and a price that is too high", async () => {
    let failures = 0;
    const settled = await runDrift({
      maxCredits: 12,
      deviation: json((body, { url }) => {
        if (body.data?.["status"] === "failure") failures = 1;
        if (!url.endsWith("/balance") || body.data === undefined) return undefined;
        return { ...body, data: { ...body.data, available: Number(body.data["available"]) - 10 * failures } };
      }),
    });
    expect(settled.report?.credits.spent).toBe(12);
    expect(settled.report?.skipped.map(({ test: name }) => name)).toContain("concat of an unknown clip");

    const expensive = await runDrift({
      deviation: json((body, { method }) =>
        method === "POST" && body.data?.["type"] === "concat"
          ? { ...body, data: { ...body.data, credits_charged: 15 } }
          : undefined,
      ),
    });
    expect(expensive.report?.skipped.map(({ test: name }) => name)).toContain("song by provider_a as MP3");
  });

  test.each<Partial<Policy>>([
    { mixed_field_sets: "named_only", null_audio_format: "omitted" },
    { audio_conversion: "off" },
    {},
  ])("are 20 by default, which every test fits into: %j", async (policy) => {
    const { report, emulator } = await runDrift({ options: { policy } });
    expect([report?.skipped, report?.credits.allowed]).toEqual([[], 20]);
    expect(mostSpent(emulator)).toBeLessThanOrEqual(20);
    expect(report?.not_known.join()).toContain("uploads");
    const names = report?.tests.map(({ name }) => name.replace(/ (?:with a title|as MP3)$/, ""));
    expect(names).toEqual(expect.arrayContaining(["song by provider_a", "song by provider_b", "lyrics"]));
  });

  test("of 22 also try uploads", async () => {
    const { report } = await runDrift({ maxCredits: 22 });
    expect(report?.tests.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["upload", "upload as MP3"]),
    );
    expect(report?.not_known.join()).not.toContain("uploads");
  });
});

describe("a service that takes more than it says:", () => {
  /** Takes credits from the balance at each accepted request, or at each read of a task, and says nothing of it. */
  const taking = (credits: number, at: "POST" | "GET", change: (data: object) => object = () => ({})) => {
    let taken = 0;
    return json((body, { method, url }) => {
      const { data } = body;
      if (data?.["task_id"] !== undefined && method === at) taken += credits;
      if (url.endsWith("/usage") && data !== undefined)
        return { ...body, data: { ...data, ...change(data) } };
      if (!url.endsWith("/balance") || data === undefined) return undefined;
      const available = Number(data["available"]) - taken;
      return { ...body, data: { ...data, available, total: available + Number(data["frozen"]) } };
    });
  };

  test.each<[string, Deviation]>([
    ["with a charge that is not stated", taking(25, "POST")],
    ["with a charge at each read", taking(25, "GET")],
    ["and counts a task of another program", taking(25, "POST", countTwice())],
    ["and counts a top-up", taking(25, "POST", topUpOnce())],
  ])("the check stops after one test %s", async (_, deviation) => {
    const { report, status, emulator } = await runDrift({ deviation });
    expect(countTasks(emulator)).toBe(1);
    expect(report?.incomplete.length).toBeGreaterThan(5);
    for (const { reason } of report?.incomplete ?? [])
      expect(reason).toMatch(/^Stopped: \d+ credits were gone/);
    expect(status).toBeGreaterThan(0);
  });

  test.each<[string, (data: object) => object]>([
    ["has no number", () => ({ available: "many" })],
    ["has nothing", () => ({ available: undefined })],
  ])("nothing is charged if the balance %s", async (_, change) => {
    const { report, status, posts } = await runDrift({ deviation: account("balance", change) });
    expect([posts, status]).toEqual([[], 1]);
    expect(report?.incomplete[0]?.reason).toContain("The balance has no number");
  });

  test("the check counts what is gone if the balance is text", async () => {
    const deviation = account("balance", ({ available }) => ({ available: String(Number(available) * 3) }));
    const { report, emulator } = await runDrift({ deviation });
    expect(report?.incomplete[0]?.reason).toBe(
      "Stopped: 30 credits were gone from the balance, and --max-credits allows 20.",
    );
    expect(countTasks(emulator)).toBe(1);
  });
});

describe("a POST", () => {
  test.each(["before", "after"] as const)(
    "is not repeated if all responses are lost %s the task exists",
    async (when) => {
      const { status, report, posts } = await runDrift({ prepare: loseResponses(100, when) });
      expect(new Set(posts).size).toBe(posts.length);
      expect(status).toBe(2);
      expect(report?.incomplete.length).toBe(posts.length);
      expect(report?.credits.spent).toBeLessThanOrEqual(30);
    },
  );

  test.each([1, 12, 16])("is not repeated if the response of number %i is lost", async (number) => {
    let count = 0;
    const { status, report, posts } = await runDrift({
      deviation(response, { method }) {
        if (method === "POST" && ++count === number) throw new TypeError("fetch failed");
        return response;
      },
    });
    expect(new Set(posts).size).toBe(posts.length);
    expect(report?.incomplete).toMatchObject([{ reason: expect.stringContaining("not sent again") }]);
    expect([linesOf(report), status]).toEqual([[], 2]);
  });

  test("is not repeated after a 500", async () => {
    const { status, posts } = await runDrift({
      prepare: ({ faults }) =>
        faults.add({ method: "POST", times: 100, fault: { kind: "status", status: 500, when: "after" } }),
    });
    expect([new Set(posts).size, status]).toEqual([posts.length, 1]);
  });
});

test("a task that times out shows the policy of timeouts", async () => {
  const policy = { timeout_error_code: "rate_limited", timeout_retryable: false } as const;
  const { report } = await runDrift({
    maxCredits: 6,
    options: { policy },
    prepare: always({ outcome: "hang" }),
  });
  expect(report?.policy).toMatchObject(policy);
});

test("the key stays within a low rate limit", async () => {
  const { emulator } = await runDrift({ options: { limits: { requests: 15 } } });
  expect(emulator.requests.filter((request) => request.status === 429)).toEqual([]);
});

describe("status 2, and nothing is charged:", () => {
  test.each<[string, DriftOptions, string]>([
    ["an invalid key", { env: { ASYNC_MUSIC_API_KEY: "emu_wrong" } }, "AuthenticationError"],
    ["a missing key", { env: { ASYNC_MUSIC_API_KEY: "" } }, "UsageError"],
    [
      "an address without a service",
      { env: { ASYNC_MUSIC_BASE_URL: "https://nothing.test" } },
      "ConnectionError",
    ],
    [
      "a suspended account",
      { prepare: ({ accounts, accountId }) => void accounts.update(accountId, { suspended: true }) },
      "AccountSuspendedError",
    ],
    ["a report that can't be written", { args: ["--report", "/no-such-folder/drift.md"] }, "UsageError"],
    ["a report that is a directory", { args: ["--report", tmpdir()] }, "UsageError"],
    ["a report with the name of a directory", { args: ["--report", "no-such-folder/"] }, "UsageError"],
    ["an upload from a file", { args: ["--upload-url", "file:///a.mp3"] }, "UsageError"],
  ])("%s", async (_, options, name) => {
    const { status, document, emulator } = await runDrift(options);
    expect([status, document.error.name]).toEqual([2, name]);
    expect(mostSpent(emulator)).toBe(0);
  });
});

test("a check that can't be run leaves the report file as it is", async () => {
  const folder = await createFolder();
  const old = join(folder, "old.md");
  await writeFile(old, "# Old");
  for (const path of [old, join(folder, "new.md")])
    await runDrift({ args: ["--report", path], env: { ASYNC_MUSIC_API_KEY: "emu_wrong" } });
  expect([await readdir(folder), await readFile(old, "utf8")]).toEqual([["old.md"], "# Old"]);
});

test("the report is Markdown, with its date and without the key", async () => {
  const path = join(await createFolder(), "drift.md");
  const emulator = createEmulator();
  const { run } = createTerminal(emulator);
  const { status, stdout } = await runDrift({ args: ["--report", path] }).then(() => run("drift", "--help"));
  expect([status, stdout]).toEqual([0, expect.stringContaining("--max-credits")]);

  const report = await readFile(path, "utf8");
  expect(report).toMatch(
    /^# Drift report\n\nNo drift: 27 tests and \d+ fields compared\.\n\n- Date: 2026-01-01T/,
  );
  expect(report).toContain('policy: { invalid_audio_format_status: 400, audio_conversion: "on"');
  expect(report).toMatch(/^\| late_success \| It needs a task that is not read for an hour\. \|$/m);

  const { apiKey } = emulator;
  const evil = "\u001b[2J<img src=x>a\\|b[x](javascript:alert)://me:pass_word@host";
  const named = await runDrift({
    args: ["--report", path],
    deviation: json((body) => body.data && { ...body, data: { ...body.data, [`${apiKey}${evil}`]: 1 } }),
  });
  const written = await readFile(path, "utf8");
  expect(written).toContain("\\[redacted\\]");
  for (const text of [written, named.stdout, named.stderr]) expect(text).not.toContain(apiKey);
  expect(written).not.toContain("\u001b");
  expect(written).toContain("\\[2J\\<img src=x\\>a\\\\\\|b\\[x\\](javascript:alert)://host");
});

test("without --json, it writes the result, the policy and the reasons", async () => {
  const emulator = createEmulator();
  emulator.providers.provider_b.always({ outcome: "failure" });
  const { run } = createTerminal(emulator);
  const { status, stdout, stderr } = await run("drift", "--max-credits", "12");
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^The check usually takes \d+ to \d+ minutes, and spends at most 12 credits\.\nA task that/,
  );
  expect(stderr).toContain("0:00 1/30 balance\n");
  expect(stderr).toMatch(/^2:0\d 10\/30 body that is not JSON$/m);
  expect(stdout).toContain("song by provider_b, task: last status is failure, in the emulator success\n");
  expect(stdout).toContain("\n  policy: { invalid_audio_format_status: 400, ");
  expect(stdout).toContain("`as const`");
  expect(stdout).toMatch(
    /^ {2}async-music emulator --policy invalid_audio_format_status=400 --policy mixed_field_sets=reject --policy /m,
  );
  expect(stdout).toContain("Skipped for lack of credits (10 each):\n  song by provider_a as MP3\n");
  expect(stdout).toContain("\nThe check cannot know:\n  What the service returns when the rate limit");
  expect(stdout).toContain("auto_top_up_month is not shown: ");
});

function mostSpentAtEnd({ accounts, accountId }: Emulator): number {
  const { balance } = accounts.get(accountId);
  return 1000 - balance.available;
}

function always(outcome: { outcome: "hang" | "failure" }) {
  return ({ providers }: Emulator) => {
    providers.provider_a.always(outcome);
    providers.provider_b.always(outcome);
  };
}

function loseResponses(times: number, when: "before" | "after" = "after") {
  return ({ faults }: Emulator) => {
    faults.add({ method: "POST", times, fault: { kind: "disconnect", when } });
  };
}

/** Usage with a task more from the first created task on. */
function countTwice(): (data: object) => object {
  return (data) => {
    const tasks = Number(Reflect.get(data, "tasks_created"));
    return { tasks_created: tasks === 0 ? 0 : tasks + 1 };
  };
}

/** Usage with a top-up after the first created task. */
function topUpOnce(): (data: object) => object {
  return (data) => {
    const credits = Number(Reflect.get(data, "credits_topped_up"));
    return { credits_topped_up: Number(Reflect.get(data, "tasks_created")) === 0 ? credits : credits + 25 };
  };
}

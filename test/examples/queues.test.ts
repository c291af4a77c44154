import * as sdk from "async-music";
import { memoryJournal } from "async-music";
import type { Emulator } from "async-music/emulator";
import { test } from "async-music/emulator/vitest";
import { DelayedError, UnrecoverableError } from "bullmq";
import { describe, expect, vi } from "vitest";
import { inDbos } from "../../examples/postgres/dbos.js";
import { inPgBoss } from "../../examples/postgres/pg-boss.js";
import { inBullMq } from "../../examples/queues/bullmq.js";
import { inInngest } from "../../examples/queues/inngest.js";
import { judge } from "../../examples/queues/judge.js";
import { fulfil, NotYetError, ParkedError } from "../../examples/queues/order.js";
import { inTemporal } from "../../examples/queues/temporal.js";
import { ANSWER, errors, FAILED } from "./support/errors.js";

const order = { name: "order-1", description: "rain in Lisbon" };
const shared = { orderNames: async () => ["order-0", "order-1"], settleCommand: "node settle.ts" };

describe("`judge`", () => {
  test.each(errors)("$error.name, $about: again $again", ({ error, again, notBefore = null }) => {
    expect(judge(error)).toEqual(again ? { again, notBefore } : { again });
  });

  test("has a verdict on every error of the SDK", () => {
    const isError = (value: unknown) => typeof value === "function" && value.prototype instanceof Error;
    const classes = Object.entries(sdk).filter(([, value]) => isError(value));
    const judged = new Set(errors.map(({ error }) => error.name));
    // Abstract: no error is only one of these.
    const bases = ["AsyncMusicError", "ApiError"];
    expect(
      classes.map(([name]) => name).filter((name) => !judged.has(name) && !bases.includes(name)),
    ).toEqual([]);
  });
});

describe("an order that is retried by its verdicts", () => {
  /** Runs a job as a queue does. */
  async function engine(
    client: sdk.AsyncMusic,
    { clock }: Emulator,
    options: sdk.WaitOptions = {},
    journal = memoryJournal(),
  ) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await fulfil(order, { ...shared, client, journal, now: clock.now, ...options });
      } catch (error) {
        const verdict = judge(error);
        if (!verdict.again) throw error;
        expect(attempt).toBeLessThan(30);
        await clock.sleep(Math.max(1_000, (verdict.notBefore?.getTime() ?? 0) - clock.now()));
      }
    }
  }

  test("continues a wait that timed out, and is charged once", async ({ client, emulator }) => {
    const song = await engine(client, emulator, { maxWaitMs: 20_000 });
    expect(song.status).toBe("success");
    expect(emulator.state().tasks).toHaveLength(1);
  });

  test("is parked with its command if a lost request created a task", async ({ client, emulator }) => {
    emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
    const error = await engine(client, emulator).catch((reason) => reason);
    expect(error).toBeInstanceOf(ParkedError);
    expect(error.message).toContain("then run: node settle.ts order-1/1 TASK_ID");
    expect(emulator.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("continues with the task that a cut response names, and is charged once", async ({
    client,
    emulator,
  }) => {
    emulator.faults.add({ method: "POST", fault: { kind: "malformed" } });
    const song = await engine(client, emulator);
    expect(emulator.state().tasks.map(({ task_id }) => task_id)).toEqual([song.task_id]);
    expect(emulator.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("continues after a minute if it is certain that a lost request created none", async ({
    client,
    emulator,
    breaks,
  }) => {
    breaks("resubmitted_after_unknown_outcome");
    const journal = memoryJournal();
    emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "before" } });
    const other = { model: "provider_b", task_type: "music", input: { prompt: "rain" } } as const;
    const startedAt = emulator.clock.now();
    const song = engine(client, emulator, {}, journal);
    await client.tasks.run(other, { journal, journalKey: "order-0/1", probe: true });
    expect((await song).status).toBe("success");
    const tasks = emulator.state().tasks.filter(({ model }) => model === "provider_a");
    expect(tasks).toHaveLength(1);
    expect(Date.parse(tasks[0]?.created_at ?? "")).toBeGreaterThanOrEqual(startedAt + 60_000);
  });

  test("needs the names of no order that ended an hour before its lost request", async ({
    client,
    emulator,
    breaks,
  }) => {
    breaks("resubmitted_after_unknown_outcome");
    const journal = memoryJournal();
    const asked: Date[] = [];
    const orderNames = async (since: Date) => {
      asked.push(since);
      return [order.name];
    };
    const means = { ...shared, orderNames, client, journal, now: emulator.clock.now };
    await fulfil({ ...order, name: "order-0" }, means);
    await emulator.clock.advance(2 * 3600_000);
    const lostAt = emulator.clock.now();
    emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "before" } });
    await expect(fulfil(order, means)).rejects.toThrow(NotYetError);
    await emulator.clock.advance(120_000);
    expect((await fulfil(order, means)).status).toBe("success");
    expect(asked).toHaveLength(1);
    expect(lostAt - Number(asked[0])).toBe(3600_000);
  });

  test("creates another task after a refund, and after the stated wait", async ({ client, emulator }) => {
    emulator.providers.provider_a.next({
      outcome: "failure",
      error_code: "rate_limited",
      retry_after_seconds: 600,
    });
    await engine(client, emulator);
    const [first, second] = emulator.state().tasks;
    const wait = Date.parse(second?.created_at ?? "") - Date.parse(first?.completed_at ?? "");
    expect(wait).toBeGreaterThanOrEqual(600_000);
    expect((await client.account.balance()).total).toBe(990);
  });

  test("creates another task at once if no wait is stated", async ({ client, emulator }) => {
    emulator.providers.provider_a.next({ outcome: "failure" });
    await fulfil(order, { ...shared, client, journal: memoryJournal(), now: emulator.clock.now });
    expect(emulator.state().tasks.map(({ status }) => status)).toEqual(["failure", "success"]);
  });

  test("creates at most three tasks", async ({ client, emulator }) => {
    emulator.providers.provider_a.always({ outcome: "failure" });
    await expect(engine(client, emulator)).rejects.toThrow(sdk.TaskFailedError);
    expect(emulator.state().tasks).toHaveLength(3);
  });

  test("ends at once if it can never succeed", async ({ client, emulator }) => {
    emulator.providers.provider_a.always({ outcome: "failure", error_code: "content_moderation" });
    await expect(engine(client, emulator)).rejects.toThrow(sdk.TaskFailedError);
    expect(emulator.state().tasks).toHaveLength(1);
  });
});

const never = new sdk.InvalidOptionError("prompt", "be shorter");
const laterAt = new Date("2026-01-01T00:02:00.000Z");
const later = new NotYetError(laterAt, new sdk.TaskFailedError(FAILED));
const someTime = new sdk.ConnectionError("no network", { requestId: "1" });

describe("BullMQ", () => {
  const fail = async (error: Error) => {
    const moveToDelayed = vi.fn(async () => {});
    const thrown = await inBullMq({ moveToDelayed }, "token", () => Promise.reject(error)).catch(
      (reason) => reason,
    );
    return { thrown, moveToDelayed };
  };

  test("does not retry a permanent error", async () => {
    const { thrown } = await fail(never);
    expect(thrown).toBeInstanceOf(UnrecoverableError);
    expect(thrown.message).toBe(String(never));
  });

  test("retries at the stated time", async () => {
    const { thrown, moveToDelayed } = await fail(later);
    expect(moveToDelayed).toHaveBeenCalledExactlyOnceWith(laterAt.getTime(), "token");
    expect(thrown).toBeInstanceOf(DelayedError);
  });

  test("retries any other error by its own policy, and receives the result", async () => {
    const { thrown, moveToDelayed } = await fail(someTime);
    expect(thrown).toBe(someTime);
    expect(moveToDelayed).not.toHaveBeenCalled();
    expect(await inBullMq({ moveToDelayed }, "token", async () => ANSWER)).toBe(ANSWER);
  });
});

describe("pg-boss", () => {
  const job = { id: "job-1", name: "songs", data: order };
  const fail = async (error: Error) => {
    const send = vi.fn(async () => "job-2");
    const result = await inPgBoss({ send }, job, () => Promise.reject(error)).catch((reason) => reason);
    return { result, send };
  };

  test("does not retry a permanent error", async () => {
    const { result, send } = await fail(never);
    expect(result).toEqual({ id: "job-1", status: "deadletter", output: String(never) });
    expect(send).not.toHaveBeenCalled();
  });

  test("retries in another job at the stated time", async () => {
    const { result, send } = await fail(later);
    expect(send).toHaveBeenCalledExactlyOnceWith("songs", order, { startAfter: laterAt });
    expect(result).toMatchObject({ id: "job-1", status: "completed" });
  });

  test("retries any other error by its own policy, and receives the result", async () => {
    const { result, send } = await fail(someTime);
    expect(result).toBe(someTime);
    expect(send).not.toHaveBeenCalled();
    const done = await inPgBoss({ send }, job, async () => ANSWER);
    expect(done).toEqual({ id: "job-1", status: "completed", output: ANSWER });
  });
});

describe("DBOS", () => {
  /** Runs steps as DBOS does: an error is retried if the step's rule says so, and a sleep ends at once. */
  const run = async (work: () => Promise<string>) => {
    const sleeps: number[] = [];
    const now = laterAt.getTime() - 30_000;
    const end = await inDbos(
      {
        async runStep(step, { shouldRetry = () => true } = {}) {
          for (;;) {
            try {
              return await step();
            } catch (error) {
              if (!(await shouldRetry(error))) throw error;
            }
          }
        },
        sleep: async (ms) => void sleeps.push(ms),
        now: async () => now,
      },
      work,
    ).catch((reason) => reason);
    return { end, sleeps };
  };

  test("does not retry a permanent error", async () => {
    expect(await run(() => Promise.reject(never))).toEqual({ end: never, sleeps: [] });
  });

  test("sleeps in the workflow until the stated time", async () => {
    const work = vi.fn(async () => ANSWER).mockRejectedValueOnce(later);
    expect(await run(work)).toEqual({ end: ANSWER, sleeps: [30_000] });
  });

  test("retries any other error by the policy of the step, and receives the result", async () => {
    const work = vi.fn(async () => ANSWER).mockRejectedValueOnce(someTime);
    expect(await run(work)).toEqual({ end: ANSWER, sleeps: [] });
  });
});

describe("Inngest", () => {
  class NonRetriableError extends Error {}
  class RetryAfterError extends Error {
    readonly retryAfter: Date;
    constructor(message: string, retryAfter: Date, options?: { cause?: unknown }) {
      super(message, options);
      this.retryAfter = retryAfter;
    }
  }
  const fail = (error: Error) =>
    inInngest({ NonRetriableError, RetryAfterError }, () => Promise.reject(error)).catch((reason) => reason);

  test("does not retry a permanent error", async () => {
    expect(await fail(never)).toBeInstanceOf(NonRetriableError);
    expect(await fail(never)).toMatchObject({ message: String(never), cause: never });
  });

  test("retries at the stated time", async () => {
    expect(await fail(later)).toBeInstanceOf(RetryAfterError);
    expect(await fail(later)).toMatchObject({ retryAfter: laterAt, cause: later });
  });

  test("retries any other error by its own policy", async () => {
    expect(await fail(someTime)).toBe(someTime);
  });
});

describe("Temporal", () => {
  const now = () => Date.parse("2026-01-01T00:01:30.000Z");
  const failures = { create: (options: object) => Object.assign(new Error(), { options }) };
  const fail = (error: Error) =>
    inTemporal(failures, () => Promise.reject(error), now).catch((reason) => reason.options);

  test("does not retry a permanent error", async () => {
    const { message, name: type } = never;
    expect(await fail(never)).toEqual({ message, type, nonRetryable: true, details: [null] });
  });

  test("retries after the stated wait", async () => {
    expect(await fail(later)).toMatchObject({
      type: "NotYetError",
      nonRetryable: false,
      nextRetryDelay: 30_000,
    });
  });

  test("receives the task ID of an error", async () => {
    expect(await fail(new sdk.TaskFailedError(FAILED))).toMatchObject({ details: [FAILED.task_id] });
  });

  test("retries any other error by its own policy", async () => {
    expect(await fail(someTime)).toEqual(expect.objectContaining({ nonRetryable: false }));
    expect(await fail(someTime)).not.toHaveProperty("nextRetryDelay");
  });
});

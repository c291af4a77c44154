import * as sdk from "async-music";
import { memoryJournal } from "async-music";
import type { Emulator } from "async-music/emulator";
import { test } from "async-music/emulator/vitest";
import { DelayedError, UnrecoverableError } from "bullmq";
import { describe, expect, vi } from "vitest";
import { inDbos, type Steps } from "../../examples/postgres/dbos.js";
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

  test("continues with the task that a cut response names", async ({ client, emulator }) => {
    emulator.faults.add({ method: "POST", fault: { kind: "malformed" } });
    const song = await engine(client, emulator);
    expect(emulator.state().tasks.map(({ task_id }) => task_id)).toEqual([song.task_id]);
    expect(emulator.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("continues a minute after a request that created no task", async ({ client, emulator, breaks }) => {
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

  test("needs no names of orders that ended long before", async ({ client, emulator, breaks }) => {
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

class NonRetriableError extends Error {}
class RetryAfterError extends Error {
  readonly retryAfter: Date;
  constructor(message: string, retryAfter: Date, options?: { cause?: unknown }) {
    super(message, options);
    this.retryAfter = retryAfter;
  }
}

type Work = () => Promise<string>;

/** The result of a promise, or what it rejects with. */
const endOf = (promise: Promise<unknown>) => promise.catch((reason: unknown) => reason);

/** Runs some work on a double of each engine. Returns what the engine receives: the end, and the arguments of other calls. */
const ENGINES: Record<string, (work: Work) => Promise<unknown[]>> = {
  async BullMQ(work) {
    const moveToDelayed = vi.fn(async () => {});
    return [await endOf(inBullMq({ moveToDelayed }, "token", work)), ...moveToDelayed.mock.calls];
  },
  async "pg-boss"(work) {
    const send = vi.fn(async () => "job-2");
    return [
      await endOf(inPgBoss({ send }, { id: "job-1", name: "songs", data: order }, work)),
      ...send.mock.calls,
    ];
  },
  /** DBOS retries a step after an error if the step's rule says so. Here, a sleep ends at once. */
  async DBOS(work) {
    const sleep = vi.fn(async (_: number) => {});
    const steps: Steps = {
      async runStep(step, { shouldRetry = () => true } = {}) {
        for (;;) {
          try {
            return await step();
          } catch (error) {
            if (!(await shouldRetry(error))) throw error;
          }
        }
      },
      sleep,
      now: async () => laterAt.getTime() - 30_000,
    };
    return [await endOf(inDbos(steps, work)), ...sleep.mock.calls];
  },
  async Inngest(work) {
    return [await endOf(inInngest({ NonRetriableError, RetryAfterError }, work))];
  },
  async Temporal(work) {
    const failures = { create: (options: object) => Object.assign(new Error(), { options }) };
    const end = await endOf(inTemporal(failures, work, () => laterAt.getTime() - 30_000));
    return [end instanceof Error ? Reflect.get(end, "options") : end];
  },
};

const job = { id: "job-1", status: "completed" };

/** What each engine receives if the first try fails with this error. */
const ENDS: [engine: string, error: Error | null, what: string, received: unknown[]][] = [
  ["BullMQ", never, "fails the job", [new UnrecoverableError(String(never))]],
  [
    "BullMQ",
    later,
    "delays the job until the stated time",
    [new DelayedError(), [laterAt.getTime(), "token"]],
  ],
  ["BullMQ", someTime, "retries by its own policy", [someTime]],
  ["BullMQ", null, "has the result", [ANSWER]],

  ["pg-boss", never, "ends the job", [{ ...job, status: "deadletter", output: String(never) }]],
  [
    "pg-boss",
    later,
    "retries in another job at the stated time",
    [{ ...job, output: "continues in another job" }, ["songs", order, { startAfter: laterAt }]],
  ],
  ["pg-boss", someTime, "retries by its own policy", [someTime]],
  ["pg-boss", null, "has the result", [{ ...job, output: ANSWER }]],

  ["DBOS", never, "fails the workflow", [never]],
  ["DBOS", later, "sleeps in the workflow until the stated time", [ANSWER, [30_000]]],
  ["DBOS", someTime, "retries by the policy of the step", [ANSWER]],
  ["DBOS", null, "has the result", [ANSWER]],

  ["Inngest", never, "fails the step", [new NonRetriableError(String(never), { cause: never })]],
  [
    "Inngest",
    later,
    "retries at the stated time",
    [new RetryAfterError(String(later), laterAt, { cause: later })],
  ],
  ["Inngest", someTime, "retries by its own policy", [someTime]],
  ["Inngest", null, "has the result", [ANSWER]],

  ["Temporal", never, "fails the activity", [failure(never, { nonRetryable: true })]],
  ["Temporal", later, "retries after the stated wait", [failure(later, { nextRetryDelay: 30_000 })]],
  ["Temporal", someTime, "retries by its own policy", [failure(someTime)]],
  [
    "Temporal",
    new sdk.TaskFailedError(FAILED),
    "has the task ID of an error",
    [failure(new sdk.TaskFailedError(FAILED), { nonRetryable: true, details: [FAILED.task_id] })],
  ],
  ["Temporal", null, "has the result", [ANSWER]],
];

test.each(ENDS)("%s, after %o, %s", async (engine, error, _, received) => {
  const work = vi.fn(async () => ANSWER);
  if (error !== null) work.mockRejectedValueOnce(error);
  expect(await ENGINES[engine]?.(work)).toStrictEqual(received);
});

/** The failure that Temporal stores. */
function failure({ name: type, message }: Error, fields: object = {}) {
  return { message, type, nonRetryable: false, details: [null], ...fields };
}

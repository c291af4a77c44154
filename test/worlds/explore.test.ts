import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { AsyncMusic, type Journal, memoryJournal } from "async-music";
import type { Fault } from "async-music/emulator";
import {
  type App,
  BrokenWorldError,
  explore,
  type GiveUpReason,
  type Plan,
  type Process,
  replay,
} from "async-music/emulator/worlds";
import { beforeEach, describe, expect, test } from "vitest";
import { shop } from "../../tools/simulate/program.js";
import { unwatch } from "../lifecycle/begun.js";
import { failWith } from "../support/faults.js";
import { rejection } from "../support/rejection.js";
import { SdkShop } from "./corpus/sdk-shop.js";

// The processes of a world end in the middle of their waits.
beforeEach(unwatch);

const sdkShop = new SdkShop();

/** Runs one order after the other by `work`. */
const appOf = (work: (process: Process, order: Process["orders"][number]) => Promise<void>): App => ({
  async start(process) {
    for (const order of process.orders) await work(process, order);
  },
});

/** A world in which nothing goes wrong, and its process. */
const CALM_PROCESS = { startsAt: 0, pace: [0, 0], stopsAt: null, mishaps: [] } as const;
const CALM = {
  seed: 1,
  limit: 120,
  varies: false,
  redelivers: false,
  faults: [],
  outages: [],
  others: [],
} as const;

const calmPlan = (...ids: string[]): Plan => ({
  ...CALM,
  orders: ids.map((id) => ({ id, outcome: { outcome: "success" } })),
  processes: [{ ...CALM_PROCESS, orders: ids }],
});

/** A calm world of one order, whose process differs so. */
const planOfProcess = (changes: Partial<Plan["processes"][number]>): Plan => ({
  ...calmPlan("order-1"),
  processes: [{ ...CALM_PROCESS, orders: ["order-1"], ...changes }],
});

/** A calm world of one order, whose first POSTs meet this fault. */
const planOfFault = (fault: Fault, times = 1): Plan => ({
  ...calmPlan("order-1"),
  faults: [{ method: "POST", times, fault }],
});

const post = async ({ fetch, baseUrl, apiKey }: Process, body: unknown) => {
  const headers = { "x-api-key": apiKey, "Content-Type": "application/json" };
  const response = await fetch(`${baseUrl}/api/v1/task`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return (await response.json()).data.task_id as string;
};

const read = async ({ fetch, baseUrl, apiKey }: Process, id: string) => {
  const response = await fetch(`${baseUrl}/api/v1/task/${id}`, { headers: { "x-api-key": apiKey } });
  return (await response.json()).data as { status: string };
};

const brokenWorld = (app: App, count = 300) => rejection(explore(app, { count }), BrokenWorldError);
const brokenReplay = (app: App, plan: Plan) => rejection(replay(app, plan), BrokenWorldError);

/** Submits again after each failure, waits, and delivers. */
const resubmits = appOf(async (process, order) => {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const id = await post(process, order.request);
      for (let status = "pending"; status === "pending" || status === "running"; ) {
        await process.clock.sleep(5000);
        ({ status } = await read(process, id));
      }
      return await process.deliver(order, id);
    } catch {
      await process.clock.sleep(1000);
    }
  }
  await process.giveUp(order, "refused");
});

test("a program that repeats a POST whose outcome is unknown is found, and the story repeats it", async () => {
  const error = await brokenWorld(resubmits);
  expect(["charged_twice", "rule_broken", "wrong_end"]).toContain(error.violations[0]?.check);
  const { length } = error.message.split("\n");
  expect(length, error.message).toBeLessThan(60);
  // As the message has it, so that it can be pasted into a test.
  const [, plan = ""] = /await replay\(app, (.*)\);/.exec(error.message) ?? [];
  const repeated = await replay(resubmits, JSON.parse(plan)).catch((error: unknown) => error);
  expect(repeated).toMatchObject({ violations: error.violations });
});

test("the smallest world has one order, one process and at most two faults", async () => {
  const { plan } = await brokenWorld(resubmits);
  expect(plan.orders).toHaveLength(1);
  expect(plan.processes).toHaveLength(1);
  const mishaps = plan.processes.flatMap((each) => each.mishaps);
  expect(plan.faults.length + mishaps.length + plan.outages.length).toBeLessThanOrEqual(2);
});

test("the same seed gives the same world, and another seed another one", async () => {
  const [first, again] = [await brokenWorld(resubmits), await brokenWorld(resubmits)];
  expect(again.message).toBe(first.message);
  await expect(explore(resubmits, { seed: first.seed, count: 1 })).rejects.toMatchObject({
    seed: first.seed,
  });
});

test("the smallest world hands each of its orders to a process, so that a right program passes it", async () => {
  const claims = appOf(async (process, order) => {
    if (await process.storage.add(`claim ${order.id}`, "taken"))
      await shop.start({ ...process, orders: [order] });
  });
  const { plan, violations } = await brokenWorld(claims);
  expect(violations[0]?.check).toBe("result_lost");
  const handed = plan.processes.flatMap(({ orders }) => orders);
  expect(plan.orders.map(({ id }) => id).filter((id) => !handed.includes(id))).toEqual([]);
  await replay(shop, plan);
});

test("a life that fails again and again is told once", async () => {
  const { message } = await brokenWorld(
    appOf(async ({ storage }, { id }) => {
      await storage.get(`configuration of ${id}`);
      throw new Error("no configuration");
    }),
    3,
  );
  expect(message).toMatch(/… the same \d lines \d times more …/);
  expect(message.split("\n").length).toBeLessThan(25);
});

describe("a violation that names a request", () => {
  const sendTwice = (pauseMs = 0) =>
    appOf(async (process, order) => {
      for (let posts = 1; posts <= 2; posts++) {
        const id = await post(process, order.request).catch(() => null);
        await process.clock.sleep(pauseMs);
        if (id !== null) await read(process, id);
      }
    });
  const pollTwice = appOf(async (process, order) => {
    const id = await post(process, order.request);
    await read(process, id);
    await process.clock.sleep(100);
    await read(process, id);
  });
  const planWith = (changes: Partial<Plan>): Plan => ({
    ...calmPlan("order-1", "order-2", "order-3"),
    ...changes,
  });
  const failing = [{ id: "order-1", outcome: { outcome: "failure", retryable: false } }] as const;
  const hanging = [{ id: "order-1", outcome: { outcome: "hang" } }] as const;
  const processes = [{ ...CALM_PROCESS, orders: ["order-1"] }];
  const cut = [{ method: "POST", times: 1, fault: { kind: "malformed" } }] as const;
  const limited = [
    {
      method: "POST",
      times: 1,
      fault: { kind: "status", status: 429, retry_after_seconds: 9, when: "before" },
    },
  ] as const;

  test.each<[string, App, Plan, string]>([
    ["a cut response", sendTwice(), planWith({ faults: cut }), "POST /task (order-1) → 202, the body is cut"],
    ["a wait", sendTwice(), planWith({ faults: limited }), "POST /task (order-1) → 429"],
    [
      "a failure",
      sendTwice(600_000),
      planWith({ orders: failing, processes }),
      "→ 200 failure, retryable: false",
    ],
    [
      "a timeout by the policy",
      sendTwice(8_000_000),
      planWith({ orders: hanging, processes, seed: 16, varies: true }),
      "→ 200 timeout, retryable: false",
    ],
    ["a poll", pollTwice, planWith({}), "→ 200 pending (2 times)"],
  ])("uses the words of its line in the story: %s", async (_, app, plan, words) => {
    const error = await brokenReplay(app, plan);
    const lines = error.message.split("\n").filter((line) => !line.includes("BROKEN"));
    expect(error.message).toContain(words);
    if (plan.varies) expect(error.message).toMatch(/has the policy \{.*"timeout_retryable":false/);
    const detail = error.violations.find(({ check }) => check === "rule_broken")?.detail ?? "";
    const named = [
      ...detail.matchAll(/([A-Z]+ \/task\S*(?: \(order-\d\))?) of (process \d) at (\d+\.\d s)/g),
    ];
    expect(named.length, detail).toBeGreaterThan(0);
    for (const [, name = "", process = "", time = ""] of named) {
      // The first of equal lines stands for all.
      const isLine = (line: string) => line.includes(` ${process} `) && line.includes(` ${name} → `);
      const line = lines.find((each) => isLine(each) && each.includes(` ${time} `)) ?? lines.find(isLine);
      expect(line, `${name} at ${time}`).toBeDefined();
    }
    expect(detail).not.toMatch(/(?<!\/task\/|task )[\da-f]{8}-/);
  });
});

test("a long story has each block of lines completely, and how often it follows", async () => {
  const WIDTH = 12;
  for (let before = 0; before <= 34; before++) {
    const app: App = {
      async start({ storage }) {
        for (let key = 0; key < before; key++) await storage.get(`before ${key}`);
        for (let times = 0; times < 4; times++)
          for (let key = 0; key < WIDTH; key++) await storage.get(`block ${key}`);
        for (let key = 0; key < 30; key++) await storage.get(`after ${key}`);
      },
      check: () => Promise.reject(new Error("enough")),
    };
    const { message } = await brokenReplay(app, calmPlan("order-1"));
    const [, story = ""] = message.split(/The smallest such world:\n|\n\nRepeat it/);
    const lines = story.split("\n");
    expect(lines.length).toBeLessThanOrEqual(33);
    const marker = lines.findIndex((line) => line.includes("the same 12 lines 3 times more"));
    const block = lines.slice(0, Math.max(marker, 0)).slice(-WIDTH);
    const keys = block.filter((line) => line.includes("storage.get block")).length;
    expect([0, WIDTH], story).toContain(
      marker === -1 ? lines.filter((each) => each.includes(" block ")).length : keys,
    );
  }
});

test("the code of the story names the options that the world needs", async () => {
  const request = (id: string) => ({
    model: "provider_a" as const,
    task_type: "lyrics" as const,
    input: { prompt: id },
  });
  const app = appOf(() => Promise.reject(new Error("no configuration")));
  await expect(explore(app, { count: 1, request })).rejects.toThrow(/replay\(app, .*, \{ request \}\);/);
});

test("a program that keeps state between worlds is told so if its world does not repeat", async () => {
  let starts = 0;
  const app = appOf(async (process, order) => {
    if (starts++ < 30) throw new Error("warming up");
    await process.giveUp(order, "declined");
  });
  await expect(explore(app, { count: 30 })).rejects.toThrow("was not broken when it ran again");
});

describe("each check finds the program that it is for", () => {
  test("result_lost: a task whose end the program does not await", async () => {
    const app = appOf(async (process, order) => {
      if (await process.storage.add(order.id, "sent")) await post(process, order.request);
    });
    expect((await brokenWorld(app)).violations[0]?.check).toBe("result_lost");
  });

  test("wrong_end: delivered before the task succeeded", async () => {
    const app = appOf(async (process, order) => process.deliver(order, await post(process, order.request)));
    const { violations } = await brokenWorld(app);
    expect(["wrong_end", "charged_twice", "program_failed"]).toContain(violations[0]?.check);
  });

  test("wrong_end: given up as unknown although each POST was refused or never sent", async () => {
    const app = appOf((process, order) => process.giveUp(order, "unknown"));
    expect((await brokenWorld(app)).violations[0]?.check).toBe("wrong_end");
  });

  test("program_failed: given up for a reason that does not exist", async () => {
    const { violations } = await brokenWorld(
      appOf((process, order) => process.giveUp(order, "unkown" as "unknown")),
    );
    expect(violations[0]?.detail).toContain(
      "`reason` must be one of failed, refused, declined, unknown, expired; got unkown.",
    );
  });

  test.each<[string, (process: Process) => Promise<unknown>, RegExp]>([
    ["what does not come", () => new Promise(() => {}), /nothing since 0\.0 s\. .*`node:timers\/promises`/],
    ["real time", () => sleep(1), /nothing since 0\.0 s\. .*`node:timers\/promises`/],
    [
      "real time after a step",
      ({ clock }) => clock.sleep(5000).then(() => sleep(1)),
      /nothing since 5\.0 s\. .*`node:timers\/promises`/,
    ],
    ["a clock", async ({ clock }) => clock.sleep(600_000), /did not end within 12 h; order-1 open$/],
    ["a timer", () => new Promise((resolve) => setTimeout(resolve, 600_000)), /; order-1 open$/],
  ])("never_ends: waits for %s", async (_, wait, detail) => {
    const app: App = {
      async start(process) {
        for (;;) await wait(process);
      },
    };
    const { violations } = await brokenReplay(app, calmPlan("order-1"));
    expect(violations).toEqual([{ check: "never_ends", detail: expect.stringMatching(detail) }]);
  });

  test("never_ends: a request without a response, which the story shows", async () => {
    const ended = replay(
      appOf(async (process, order) => process.deliver(order, await post(process, order.request))),
      { ...calmPlan("order-1"), faults: [{ method: "POST", times: 1, fault: { kind: "stall" } }] },
    );
    await expect(ended).rejects.toThrow(
      /process 1 +POST \/task \(order-1\): no response\n.*BROKEN +never_ends/,
    );
  });

  test("never_ends: sends requests without end", async () => {
    const app = appOf(async (process) => {
      for (;;) {
        await read(process, "00000000-0000-4000-8000-000000000000").catch(() => {});
        await process.clock.sleep(1000);
      }
    });
    expect((await brokenWorld(app, 3)).violations[0]?.check).toBe("never_ends");
  });

  describe("never_ends: waits in a loop without a pause", () => {
    const isDone = ({ storage }: Process) => storage.get("done").then((value) => value !== null);

    test.each<[string, (process: Process) => Promise<unknown>]>([
      ["storage", isDone],
      ["journal", ({ journal }) => journal.get("order-1")],
      ["clock", ({ clock }) => clock.sleep(0)],
      ["timer", () => new Promise((resolve) => setTimeout(resolve, 0))],
    ])("%s", async (_, wait) => {
      const app = appOf(async (process) => {
        for (;;) await wait(process);
      });
      const detail = expect.stringContaining("Sleep for 10 ms or more in each loop that waits.");
      expect((await brokenWorld(app, 3)).violations).toEqual([{ check: "never_ends", detail }]);
    });

    test("for another process, while time stands still", async () => {
      const waits = (pause: (process: Process) => Promise<unknown>) =>
        appOf(async (process, order) => {
          if (await process.storage.add("lock", process.name)) {
            await process.clock.sleep(5000);
            await process.storage.set("done", "yes");
          }
          while (!(await isDone(process))) await pause(process);
          await process.giveUp(order, "declined");
        });
      const processes = ["order-1", "order-2"].map((id) => ({ ...CALM_PROCESS, orders: [id] }));
      const plan: Plan = { ...calmPlan("order-1", "order-2"), processes };
      const ended = replay(
        waits(async () => {}),
        plan,
      );
      await expect(ended).rejects.toMatchObject({ violations: [{ check: "never_ends" }] });
      await replay(
        waits(({ clock }) => clock.sleep(10)),
        plan,
      );
    });
  });

  test("never_ends: not a program that has much to do for many orders", async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `order-${index + 1}`);
    const app = appOf(async (process, order) => {
      for (let key = 0; key < 20; key++) await process.storage.get(`setting ${key}`);
      await process.giveUp(order, "declined");
    });
    await replay(app, calmPlan(...ids));
  });

  test("rule_broken: polls ten times a second", async () => {
    const app = appOf(async (process, order) => {
      if (!(await process.storage.add(order.id, "sent"))) return process.giveUp(order, "unknown");
      const id = await post(process, order.request).catch(() => null);
      if (id === null) return process.giveUp(order, "unknown");
      for (let status = "pending"; status === "pending" || status === "running"; ) {
        await process.clock.sleep(100);
        ({ status } = await read(process, id).catch(() => ({ status })));
      }
      await process.deliver(order, id);
    });
    const { violations } = await brokenWorld(app);
    // Once, for all polls.
    expect(violations).toEqual([
      { check: "rule_broken", detail: expect.stringMatching(/^polled_too_often, GET .* \(\d+ times\)$/) },
    ]);
  });

  describe("rule_broken: a POST that is repeated after an unknown outcome", () => {
    const headersOf = ({ apiKey }: Process, more = {}) => ({
      "x-api-key": apiKey,
      "Content-Type": "application/json",
      ...more,
    });
    const countTasks = async (process: Process) => {
      const response = await process.fetch(`${process.baseUrl}/api/v1/account/usage`, {
        headers: headersOf(process),
      });
      return (await response.json()).data.tasks_created as number;
    };
    /** Sends a POST up to four times, as long as `mayRepeat`. `X-Request-Id` is optional. */
    const repeats = (mayRepeat: (process: Process, countBefore: number) => Promise<boolean>, more = {}) =>
      appOf(async (process, order) => {
        const { fetch, baseUrl, clock } = process;
        const headers = headersOf(process, more);
        const init = { method: "POST", headers, body: JSON.stringify(order.request) };
        const countBefore = await countTasks(process);
        for (let posts = 1; ; posts++) {
          const response = await fetch(`${baseUrl}/api/v1/task`, init).catch(() => null);
          const id = response?.status === 202 ? await taskIdIn(response) : null;
          if (id !== null) {
            await clock.sleep(600_000);
            await read(process, id);
            return process.deliver(order, id);
          }
          if (posts === 4 || !(await mayRepeat(process, countBefore)))
            return process.giveUp(order, "unknown");
        }
      });
    /** `null` if the response was cut. */
    const taskIdIn = (response: Response): Promise<string | null> =>
      response.json().then(
        ({ data }) => data.task_id,
        () => null,
      );
    const planWith = (fault: Fault, times = 1): Plan => ({
      ...planOfFault(fault, times),
      orders: [{ id: "order-1", outcome: { outcome: "success", process_seconds: 10 } }],
    });
    const planOf = (times: number, when: "before" | "after") => planWith({ kind: "disconnect", when }, times);
    const LOST = [
      { kind: "disconnect", when: "after" },
      { kind: "malformed" },
      { kind: "status", status: 502, when: "after" },
      { kind: "status", status: 408, when: "after" },
    ] as const;
    const hasEvidence = async (process: Process, countBefore: number) => {
      await process.clock.sleep(125_000);
      return (await countTasks(process)) === countBefore;
    };
    const afterEvidence = repeats(hasEvidence);

    test.each([
      ["in the same millisecond", repeats(async () => true)],
      ["a second later", repeats(({ clock }) => clock.sleep(1000).then(() => true))],
      [
        "although the usage has counted its task",
        repeats(async (process) => {
          await process.clock.sleep(125_000);
          return (await countTasks(process)) > 0;
        }),
      ],
    ])("is found: %s, however its response was lost", async (_, app) => {
      const detail = expect.stringContaining("resubmitted_after_unknown_outcome");
      for (const fault of LOST)
        await expect(replay(app, planWith(fault)), JSON.stringify(fault)).rejects.toMatchObject({
          violations: [{ check: "rule_broken", detail }],
        });
    });

    test("is right if the program gives the order up instead, however its response was lost", async () => {
      for (const fault of LOST)
        await replay(
          repeats(async () => false),
          planWith(fault),
        );
    });

    describe("after the program found the ID in a cut response, and its task failed", () => {
      const outcome = { outcome: "failure", process_seconds: 10, retryable: true } as const;
      const plan = { ...planWith({ kind: "malformed" }), orders: [{ id: "order-1", outcome }] };
      const app = appOf(async (process, order) => {
        const init = { method: "POST", headers: headersOf(process), body: JSON.stringify(order.request) };
        for (;;) {
          const response = await process.fetch(`${process.baseUrl}/api/v1/task`, init);
          const [, id = ""] = /"task_id":"([^"]+)"/.exec(await response.text()) ?? [];
          await process.clock.sleep(600_000);
          const { status } = await read(process, id).catch(() => ({ status: "failure" }));
          if (status === "success") return process.deliver(order, id);
        }
      });

      test("is right if the program read the failure", async () => {
        await replay(app, plan);
      });

      test("is found if the program could not read the task", async () => {
        const fault = { kind: "status", status: 500, when: "before" } as const;
        const faults = [...plan.faults, { method: "GET", times: 1, fault }];
        await expect(replay(app, { ...plan, faults })).rejects.toMatchObject({
          violations: [{ check: "rule_broken" }],
        });
      });
    });

    test.each([1, 2, 3, 4])("is right once the usage has counted no task, %i times", async (times) => {
      await replay(afterEvidence, planOf(times, "before"));
      await replay(afterEvidence, planOf(times, "after"));
    });

    test("is right after evidence, also if it creates a task in the same millisecond and loses its response", async () => {
      const lost = (when: "before" | "after") => planOf(1, when).faults;
      await replay(afterEvidence, { ...planOf(1, "before"), faults: [...lost("before"), ...lost("after")] });
    });

    test("is right after evidence, also with an `X-Request-Id` that the service replaces", async () => {
      await replay(repeats(hasEvidence, { "X-Request-Id": "order 1" }), planOf(1, "before"));
    });
  });

  describe("wrong_end: an order whose first task failed", () => {
    const refused = { kind: "status", status: 402, when: "before" } as const;
    const lost = { kind: "disconnect", when: "after" } as const;
    /** Step 7 of the program below is its second POST. In this world, a task succeeds without a read. */
    const planOf = (fault: typeof refused | typeof lost | null): Plan => ({
      ...planOfProcess({ mishaps: fault ? [[7, { kind: "service", fault }]] : [] }),
      seed: 2_004_772,
      varies: true,
      orders: [{ id: "order-1", outcome: { outcome: "failure" } }],
    });
    /** Makes so many takes, whatever happens to them, and gives the order up. */
    const takes = (count: number, reason: GiveUpReason): App =>
      appOf(async (process, order) => {
        for (let take = 1; take <= count; take++) {
          const id = await post(process, order.request).catch(() => null);
          await process.clock.sleep(600_000);
          if (id !== null) await read(process, id);
        }
        await process.giveUp(order, reason);
      });

    test.each([
      ["refused", "its second POST was refused", takes(2, "refused"), refused],
      ["declined", "its second POST was refused", takes(2, "declined"), refused],
      ["unknown", "the response to its second POST was lost", takes(2, "unknown"), lost],
    ] as const)("may be given up as %s if %s", async (_reason, _why, app, fault) => {
      await replay(app, planOf(fault));
    });

    test("may be given up as unknown if the response to its only POST was cut", async () => {
      const cut = { method: "POST", times: 1, fault: { kind: "malformed" } } as const;
      await replay(takes(1, "unknown"), { ...planOf(null), faults: [cut] });
    });

    test.each([
      ["refused", "no POST was refused", takes(1, "refused"), null, "wrong_end"],
      ["declined", "its second task succeeded", takes(2, "declined"), lost, "result_lost"],
      ["refused", "its second task succeeded", takes(2, "refused"), lost, "result_lost"],
      ["unknown", "the second response named a task", takes(2, "unknown"), null, "result_lost"],
      ["unknown", "no outcome was unknown", takes(1, "unknown"), null, "wrong_end"],
    ] as const)("must not be given up as %s if %s", async (_reason, _why, app, fault, check) => {
      await expect(replay(app, planOf(fault))).rejects.toMatchObject({ violations: [{ check }] });
    });
  });

  test.each([
    ["may", "once its audio has expired", 7, null],
    ["must not", "before a pause that does not come", 5000, "result_lost"],
  ])("wrong_end: an order %s be given up as expired %s", async (_may, _when, step, check) => {
    const app = appOf(async (process, order) => {
      const id = await post(process, order.request);
      await process.clock.sleep(600_000);
      await read(process, id);
      await process.giveUp(order, "expired");
    });
    const ended = await replay(app, {
      ...planOfProcess({ mishaps: [[step, { kind: "freeze", ms: 8 * 86_400_000 }]] }),
      orders: [{ id: "order-1", outcome: { outcome: "success", process_seconds: 10 } }],
    }).then(
      () => null,
      ({ violations }: BrokenWorldError) => violations[0]?.check,
    );
    expect(ended).toBe(check);
  });

  describe("wrong_end: an order that is given up without a request", () => {
    const gives = (reason: GiveUpReason) => appOf((process, order) => process.giveUp(order, reason));

    test.each([
      ["failed", "failed, but the service created no task for it"],
      ["refused", "refused, but no POST was refused"],
      ["unknown", "unknown, but no POST was sent for it"],
      ["expired", "expired, but none of its audio had expired"],
    ] as const)("is found if the reason is %s", async (reason, objection) => {
      const { violations } = await brokenWorld(gives(reason), 10);
      expect(violations).toEqual([{ check: "wrong_end", detail: expect.stringContaining(objection) }]);
    });

    test("is right if the program declined it", async () => {
      await explore(gives("declined"), { count: 50 });
    });

    test("is found if a lost connection counts as a refusal", async () => {
      const app = appOf(async (process, order) => {
        const isSent = await post(process, order.request).catch(() => null);
        if (isSent === null) await process.giveUp(order, "refused");
      });
      const fault = { kind: "disconnect", when: "before" } as const;
      const { violations } = await brokenReplay(app, planOfFault(fault));
      const detail = "order-1 was given up as refused, but no POST was refused";
      expect(violations).toEqual([{ check: "wrong_end", detail }]);
    });

    test("is right if the program does not repeat a POST after a 429", async () => {
      const app = appOf(async (process, order) => {
        await post(process, order.request).catch(() => process.giveUp(order, "refused"));
      });
      const fault = { kind: "status", status: 429, retry_after_seconds: 600, when: "before" } as const;
      await replay(app, planOfFault(fault));
    });

    test("is right if a POST was refused, and not if its response came after the program had stopped waiting", async () => {
      const app = appOf(async (process, order) => {
        const { fetch, baseUrl, apiKey } = process;
        const headers = { "x-api-key": apiKey, "Content-Type": "application/json" };
        const init = { method: "POST", headers, body: JSON.stringify(order.request) };
        const response = await fetch(`${baseUrl}/api/v1/task`, {
          ...init,
          signal: AbortSignal.timeout(30_000),
        }).catch(() => null);
        await process.giveUp(order, response?.status === 402 ? "refused" : "unknown");
      });
      const { faults } = planOfFault(failWith(402));
      for (const pace of [0, 11_000, 16_000])
        await replay(app, { ...planOfProcess({ pace: [pace, pace] }), faults });
    });
  });

  describe("wrong_end: an order without a POST that is given up as unknown", () => {
    /** Step 0 is the claim, and step 2 the POST. */
    const claims = appOf(async (process, order) => {
      const isClaimed = await process.storage.add(order.id, "claimed").catch(() => false);
      const id = isClaimed ? await post(process, order.request).catch(() => null) : null;
      if (id === null) return process.giveUp(order, "unknown");
      await process.clock.sleep(600_000);
      await read(process, id);
      await process.deliver(order, id);
    });
    const crash = { kind: "crash", ms: 5000 } as const;
    const lost = { kind: "storage", when: "after" } as const;
    const unreachable = { kind: "unreachable" } as const;

    test.each([
      ["nothing happens", {}],
      ["SIGTERM comes after its end", { stopsAt: 60_000 }],
      ["a crash comes after its end", { mishaps: [[28, crash]] }],
      ["its storage would fail, which it does not use", { mishaps: [[1, lost]] }],
      ["the service would be unreachable, which it does not use", { mishaps: [[0, unreachable]] }],
    ] as const)("is found if %s", async (_, changes) => {
      const app = appOf((process, order) => process.giveUp(order, "unknown"));
      const detail = expect.stringContaining("given up as unknown, but no POST was sent for it");
      const { violations } = await brokenReplay(app, planOfProcess(changes));
      expect(violations).toEqual([{ check: "wrong_end", detail }]);
    });

    test.each([
      ["its claim survived a crash", { mishaps: [[2, crash]] }],
      ["the connection for its POST failed", { mishaps: [[2, unreachable]] }],
      ["its claim was stored, and the storage reported a failure", { mishaps: [[1, lost]] }],
      ["it was killed a minute after SIGTERM, and has not recorded its task", { stopsAt: 0 }],
    ] as const)("is right if %s", async (_, changes) => {
      await replay(claims, planOfProcess(changes));
    });
  });

  describe("rule_broken: a wait that the life before was told of", () => {
    const limited = { kind: "status", status: 429, retry_after_seconds: 30, when: "before" } as const;
    const ids = ["order-1", "order-2"];
    const plan: Plan = { ...calmPlan(...ids), faults: [{ method: "POST", times: 3, fault: limited }] };
    /** The first life sends the first order and fails. The second sends these, and after the wait each order. */
    const sends = (early: readonly string[], pauseMs = 100): App => ({
      async start(process) {
        const { orders, clock, life } = process;
        const [first] = orders;
        if (life === 1) await post(process, first?.request);
        for (const id of early) {
          await post(process, orders.find((order) => order.id === id)?.request).catch(() => {});
          if (pauseMs > 0) await clock.sleep(pauseMs);
        }
        await clock.sleep(60_000);
        for (const order of orders) {
          const id = await post(process, order.request);
          await clock.sleep(3_600_000);
          const { status } = await read(process, id);
          await (status === "success" ? process.deliver(order, id) : process.giveUp(order, "failed"));
        }
      },
    });

    test("is not known to the next life, whatever other requests are answered", async () => {
      await replay(sends(["order-2", "order-1"]), plan);
    });

    test.each([100, 0])("is known once the same request is answered again, %i ms later", async (pauseMs) => {
      const app = sends(["order-1", "order-1"], pauseMs);
      const { violations } = await brokenReplay(app, plan);
      const detail = expect.stringContaining("ignored_retry_after");
      expect(violations).toEqual([{ check: "rule_broken", detail }]);
    });
  });

  test("shutdown_ignored: reads its signal, and does not end", async () => {
    const app: App = {
      async start(process) {
        if (!process.signal.aborted) await process.clock.sleep(600_000);
        for (const order of process.orders) await process.giveUp(order, "declined");
      },
    };
    expect((await brokenWorld(app)).violations[0]?.check).toBe("shutdown_ignored");
  });

  test("program_failed: fails at each start", async () => {
    const app = appOf(() => Promise.reject(new Error("no configuration")));
    const { violations } = await brokenWorld(app, 3);
    expect(violations[0]).toMatchObject({
      check: "program_failed",
      detail: expect.stringContaining("no configuration"),
    });
  });

  test("program_failed: a rejection that the program does not handle, which the test runner does not receive", async () => {
    const listeners = process.listeners("unhandledRejection");
    const app = appOf(async (worker, order) => {
      void worker.storage.set(order.id, "begun");
      await worker.giveUp(order, "declined");
    });
    const { violations } = await brokenWorld(app);
    expect(violations[0]).toMatchObject({
      check: "program_failed",
      detail: expect.stringContaining("a rejection is not handled: The storage is unavailable."),
    });
    expect(process.listeners("unhandledRejection")).toEqual(listeners);
  });

  test("result_lost: work that is not awaited, of which nothing continues after the world", async () => {
    const app = appOf(async (worker, order) => {
      void sdkShop.serve(worker, new AsyncMusic(worker.connection()), order).catch(() => {});
    });
    const timers = () => process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
    const before = timers();
    const { violations, message } = await brokenWorld(app);
    expect(violations[0]?.check).toBe("result_lost");
    expect(message).toContain("process 1       ends, with order-1 open");
    // A real timer would keep the process of the test alive. One of an earlier test of the worker may end meanwhile.
    expect(timers()).toBeLessThanOrEqual(before);
  });

  test("check: the program's own", async () => {
    const app = {
      ...appOf((process, order) => process.giveUp(order, "declined")),
      check: () => Promise.reject(new Error("too few songs")),
    };
    expect((await brokenWorld(app, 3)).violations[0]).toEqual({ check: "check", detail: "too few songs" });
  });
});

test("nothing of a killed process continues, and what it stored stays", async () => {
  const lives: number[] = [];
  const app: App = {
    async start(process) {
      lives.push(process.life);
      const seen = Number((await process.storage.get("lives")) ?? 0);
      await process.storage.set("lives", String(seen + 1));
      for (const order of process.orders) await process.giveUp(order, "declined");
    },
    check({ stored }) {
      if (Number(stored.get("lives")) > lives.length) throw new Error("A dead process has stored something.");
    },
  };
  await replay(app, planOfProcess({ mishaps: [[2, { kind: "crash", ms: 5000 }]] }));
  expect(lives).toEqual([1, 2, 3]);
});

test("the timers of a suspended process end once it is awake, and those of other processes in time", async () => {
  const ended: Record<string, number[]> = {};
  const app: App = {
    async start(process) {
      const { name, clock, storage, orders } = process;
      if (orders.length === 0) return;
      const begun = clock.now();
      const note = () => {
        ended[name] = [...(ended[name] ?? []), clock.now() - begun];
      };
      setTimeout(note, 30_000);
      AbortSignal.timeout(40_000).addEventListener("abort", note);
      const dropped = setTimeout(note, 50_000);
      setTimeout(() => clearTimeout(dropped), 20_000);
      await storage.get("configuration");
      await clock.sleep(4_000_000);
      for (const order of orders) await process.giveUp(order, "declined");
    },
  };
  await replay(app, {
    ...calmPlan("order-1", "order-2"),
    processes: [
      { ...CALM_PROCESS, orders: ["order-1"], mishaps: [[0, { kind: "freeze", ms: 3_600_000 }]] },
      { ...CALM_PROCESS, orders: ["order-2"] },
    ],
  });
  expect(ended).toEqual({ "process 1": [3_600_000, 3_600_000], "process 2": [30_000, 40_000] });
});

test("timers and dates follow the world's clock, and are the system's again afterwards", async () => {
  const { setTimeout: before, Date: dateBefore } = globalThis;
  const times: number[] = [];
  await explore(
    appOf(async (process, order) => {
      const begun = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 3_600_000));
      times.push(Date.parse(new Date().toISOString()) - begun);
      await process.giveUp(order, "declined");
    }),
    { count: 5 },
  );
  expect(times.length).toBeGreaterThan(0);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(3_600_000);
  expect([globalThis.setTimeout, globalThis.Date]).toEqual([before, dateBefore]);
});

test("timers and dates can be used in all ways of Node", async () => {
  const fired: string[] = [];
  const app = appOf(async (process, order) => {
    const begun = Date.now();
    const note = (name: string) => fired.push(`${name} ${Date.now() - begun}`);
    const refreshed = setTimeout(note, 1000, "refreshed");
    clearTimeout(Number(setTimeout(note, 1000, "cleared by number")));
    clearTimeout(String(Number(setTimeout(note, 1000, "cleared by text"))));
    const repeated = setInterval(() => fired.length < 3 && note("repeated"), 400);
    {
      using _ = setTimeout(note, 1000, "disposed");
    }
    await new Promise((resolve) => setTimeout(resolve, 900));
    refreshed.refresh();
    clearInterval(repeated);
    expect(await promisify(setTimeout)(5000, "value")).toBe("value");
    note("promisified");
    const sleep = promisify(setTimeout)(5000, "value", { signal: AbortSignal.timeout(100) });
    await expect(sleep).rejects.toThrow("due to timeout");
    note("aborted");
    refreshed.refresh();
    await new Promise((resolve) => setTimeout(resolve, 2 ** 31));
    note("too long");
    clearTimeout(refreshed.close());
    expect(Date()).toBe(new Date().toString());
    expect(Date.parse(Date())).toBe(Math.floor(Date.now() / 1000) * 1000);
    expect(new Date().constructor).toBe(Date);
    expect(new Date(0)).toBeInstanceOf(Date);
    class Day extends Date {}
    expect(new Day()).toBeInstanceOf(Day);
    expect(new Day()).toBeInstanceOf(Date);
    expect(new Date()).not.toBeInstanceOf(Day);
    expect(() => setTimeout(Object(5000), 1)).toThrow("must be a function");
    await process.giveUp(order, "declined");
  });
  await replay(app, calmPlan("order-1"));
  expect(fired).toEqual([
    "repeated 400",
    "repeated 800",
    "refreshed 1900",
    "promisified 5900",
    "aborted 6000",
    "too long 6001",
  ]);
});

test("a sleep that is aborted while its process is suspended rejects", async () => {
  const app = appOf(async (process, order) => {
    const sleep = promisify(setTimeout)(5000, "value", { signal: AbortSignal.timeout(100) });
    const ended = expect(sleep).rejects.toThrow("due to timeout");
    await process.storage.get("configuration");
    await ended;
    await process.giveUp(order, "declined");
  });
  await replay(app, planOfProcess({ mishaps: [[1, { kind: "freeze", ms: 60_000 }]] }));
});

test("the timers of a process that was killed do not end", async () => {
  const fired: number[] = [];
  const app = appOf(async (process, order) => {
    setTimeout(() => fired.push(process.life), 1000);
    await process.storage.get("configuration");
    await process.clock.sleep(60_000);
    await process.giveUp(order, "declined");
  });
  await replay(app, planOfProcess({ mishaps: [[1, { kind: "crash", ms: 5000 }]] }));
  expect(fired).toEqual([2]);
});

test("an exploration stops with its signal: the globals are the real ones at once, and no process starts", async () => {
  const before = [Date, setTimeout, clearTimeout, AbortSignal.timeout];
  const listeners = process.listeners("unhandledRejection");
  const test = new AbortController();
  const ended: unknown[] = [];
  let starts = 0;
  const app: App = {
    async start(process) {
      if (++starts === 30) {
        test.abort(new Error("the test has timed out"));
        ended.push(Date, setTimeout, clearTimeout, AbortSignal.timeout);
      }
      await sdkShop.start(process);
    },
  };
  let next: Promise<unknown> | undefined;
  test.signal.addEventListener("abort", () => {
    // As a test runner begins the next test.
    next = explore(sdkShop, { count: 1 });
  });
  await expect(explore(app, { signal: test.signal })).rejects.toThrow("the test has timed out");
  expect(ended).toEqual(before);
  await expect(next).resolves.toEqual({ worlds: 1 });
  expect(process.listeners("unhandledRejection")).toEqual(listeners);
  expect([Date, setTimeout, clearTimeout, AbortSignal.timeout]).toEqual(before);
  expect(starts).toBe(30);
});

test("an exploration can be stopped in any turn of the event loop, also between two worlds", async () => {
  const before = [Date, setTimeout];
  const app = appOf(async (process, order) => {
    await process.clock.sleep(1000);
    await process.giveUp(order, "declined");
  });
  for (let turns = 1; turns <= 100; turns++) {
    const test = new AbortController();
    const exploration = explore(app, { signal: test.signal });
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    test.abort(new Error("the test has timed out"));
    expect([Date, setTimeout], `after ${turns} turns`).toEqual(before);
    await expect(exploration).rejects.toThrow("the test has timed out");
  }
});

test("a program that uses the SDK with a journal as documented breaks no promise", async () => {
  await explore(shop, { seed: 7000, count: 60, processes: 3, orders: 4 });
});

test("the journal of a world can be an instance of a class", async () => {
  class OwnJournal implements Journal {
    readonly #stored = memoryJournal();
    get(key: string) {
      return this.#stored.get(key);
    }
    put(...change: Parameters<Journal["put"]>) {
      return this.#stored.put(...change);
    }
    delete(...change: Parameters<Journal["delete"]>) {
      return this.#stored.delete(...change);
    }
    open() {
      return this.#stored.open();
    }
    unacknowledged(since?: Date) {
      return this.#stored.unacknowledged(since);
    }
  }
  await explore(shop, { journal: () => new OwnJournal(), seed: 7000, count: 3 });
});

test.each([
  ["seed", -1],
  ["count", 0],
  ["processes", 1.5],
  ["orders", Number.NaN],
])("%s of %s is refused with its rule", async (name, value) => {
  await expect(explore(shop, { [name]: value })).rejects.toThrow(`\`${name}\` must be a whole number`);
});

test("an option that does not exist is refused", async () => {
  const app = appOf(async () => {});
  await expect(explore(app, Object({ cout: 5 }))).rejects.toThrow("`cout`");
  await expect(replay(app, calmPlan("order-1"), Object({ count: 3 }))).rejects.toThrow("`count`");
});

test.each([undefined, { seed: 1 }, { ...calmPlan("order-1"), faults: undefined }])(
  "a plan that is none is refused: %j",
  async (plan) => {
    const app = appOf(async () => {});
    await expect(replay(app, Object(plan))).rejects.toThrow("`plan` must be the plan of a BrokenWorldError");
  },
);

test.each<[string, unknown, string]>([
  ["the function of the program", async (process: Process) => process.orders.length, "returns a promise"],
  ["an asynchronous function", async () => sdkShop, "returns a promise"],
  ["a function that returns nothing", () => {}, "got undefined"],
  ["nothing", undefined, "got undefined"],
  ["an object without `start`", { run: async () => {} }, "got object"],
])("%s instead of a program is refused", async (_, app, got) => {
  const refusal = expect.objectContaining({ name: "RangeError", message: expect.stringContaining(got) });
  await expect(explore(app as App, { count: 1 })).rejects.toEqual(refusal);
  await expect(replay(app as App, calmPlan("order-1"))).rejects.toEqual(refusal);
});

const SONG = { model: "provider_b", task_type: "music" } as const;

test.each([
  ["in other case", (id: string) => ({ ...SONG, input: { prompt: id.toUpperCase() } })],
  ["of another order", () => ({ ...SONG, input: { prompt: "order-1, order-22" } })],
  ["nowhere", () => undefined as never],
])(
  "a request with its order's ID %s is refused, and the globals are the real ones again",
  async (_, request) => {
    const before = [Date, setTimeout];
    const exploration = explore(sdkShop, { request, count: 20, orders: 3 });
    await expect(exploration).rejects.toThrow("`request` must return a request that contains the order's ID");
    expect([Date, setTimeout]).toEqual(before);
  },
);

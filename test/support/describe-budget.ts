import { once } from "node:events";
import {
  type Budget,
  type BudgetOptions,
  CreditCeilingError,
  InsufficientCreditsError,
  InvalidOptionError,
  InvalidResponseError,
  type Journal,
  memoryJournal,
  RateLimitedError,
  type RunOptions,
  SubmissionOutcomeUnknownError,
  settleOutcome,
  TaskFailedError,
  TaskTimedOutError,
  WaitTimeoutError,
} from "async-music";
import { expect, test } from "vitest";
import { all } from "./collect.js";
import { posts } from "./journals.js";
import { rejection } from "./rejection.js";
import {
  accepted,
  acceptedAnew,
  done,
  failed,
  lost,
  OTHER_TASK_ID,
  ok,
  refusal,
  SONG_REQUEST,
  submission,
  succeeded,
  TASK_ID,
  task,
} from "./responses.js";
import { type Answerer, createWorld, inTurn } from "./world.js";

/** A store of budgets and journals that processes share. */
export interface BudgetStage {
  /** Another process: its objects are its own. */
  budget(options: BudgetOptions): Budget;
  journal(): Journal;
}

const KEY = "order-1";
const timedOut = () =>
  ok(failed({ status: "timeout", error_code: "upstream_provider_error", retryable: true }));
const otherFailed = () => ok(failed({ task_id: OTHER_TASK_ID }));

/** A budget whose process is killed between the record of a task in the journal and the budget's note of its ID. */
function killedBeforeNote(budget: Budget): Budget {
  const replaced = <Type extends object>(target: Type, name: string, method: unknown): Type =>
    new Proxy(target, {
      get(_, property) {
        const value: unknown = property === name ? method : Reflect.get(target, property);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const hold = async (...call: unknown[]) =>
    replaced(await Reflect.get(budget, "hold").apply(budget, call), "created", async () => {});
  return replaced(budget, "hold", hold);
}

/** Tests that every budget must pass. */
export function describeBudget(createStage: () => Promise<BudgetStage>): void {
  async function createCase(answer: Answerer, options: Partial<BudgetOptions> = {}) {
    const stage = await createStage();
    const world = createWorld(answer);
    // The first budget learns the clock from its client.
    const budget = stage.budget({ maxCredits: 20, per: "day", ...options });
    const given: BudgetOptions = { maxCredits: 20, per: "day", ...options, clock: world.clock };
    const run = (more: RunOptions = {}) =>
      world.client.tasks.run(SONG_REQUEST, { tenant: "acme", budget, ...more });
    const journal = stage.journal();
    const order = { journal, journalKey: KEY };
    const used = async () => {
      const { spent, reserved } = await budget.usage("acme");
      return { spent, reserved };
    };
    return { ...world, stage, given, budget, run, journal, order, used };
  }

  test("a price is reserved while its task runs, and spent when the task has succeeded", async () => {
    const { run, used } = await createCase(inTurn(accepted, done));
    const seen: unknown[] = [];
    await run({ onSubmitted: async () => void seen.push(await used()) });
    expect(seen).toEqual([{ spent: 0, reserved: 10 }]);
    expect(await used()).toEqual({ spent: 10, reserved: 0 });
  });

  test.each([
    ["a refusal", refusal(402, "insufficient_credits"), InsufficientCreditsError],
    ["a 429 that is not sent again", refusal(429, "rate_limited"), RateLimitedError],
    ["a failure", () => ok(failed()), TaskFailedError],
    ["a timeout", timedOut, TaskTimedOutError],
  ])("%s frees the reservation", async (_, end, type) => {
    const answers = typeof end === "function" ? [accepted, end] : [end];
    const { run, used } = await createCase(inTurn(...answers));
    await rejection<Error>(run({ maxRetries: 0 }), type);
    expect(await used()).toEqual({ spent: 0, reserved: 0 });
  });

  test("a reservation is kept while the outcome is unknown", async () => {
    const { run, used } = await createCase(inTurn(lost));
    await rejection(run(), SubmissionOutcomeUnknownError);
    expect(await used()).toEqual({ spent: 0, reserved: 10 });
  });

  test("a request beyond the budget is refused before anything is sent", async () => {
    const { run, requests, used } = await createCase(inTurn(accepted, done, lost));
    await run();
    await rejection(run(), SubmissionOutcomeUnknownError);
    const sent = requests.length;
    const error = await rejection(run(), CreditCeilingError);
    expect(error).toMatchObject({ tenant: "acme", spent: 10, reserved: 10, maxCredits: 20, credits: 10 });
    expect(error.message).toContain("try again when more credits are left");
    expect(requests).toHaveLength(sent);
    expect(await used()).toEqual({ spent: 10, reserved: 10 });
  });

  test("each tenant has a budget of its own", async () => {
    const { run, used, budget } = await createCase(inTurn(accepted, done), { maxCredits: 10 });
    await run();
    await rejection(run(), CreditCeilingError);
    expect(await budget.usage("other")).toMatchObject({ spent: 0, reserved: 0 });
    expect(await used()).toEqual({ spent: 10, reserved: 0 });
  });

  test("processes that share a store share a budget: at most its credits are reserved", async () => {
    const { stage, given, client } = await createCase(() => acceptedAnew(), { maxCredits: 30 });
    const submissions = Array.from({ length: 8 }, () =>
      client.tasks.create(SONG_REQUEST, { tenant: "acme", budget: stage.budget(given) }),
    );
    const ended = await Promise.allSettled(submissions);
    expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(await stage.budget(given).usage("acme")).toMatchObject({ spent: 0, reserved: 30 });
  });

  test.each([false, true])(
    "of many orders at once, each refusal has the numbers that refuse it (journal: %s)",
    async (isJournaled) => {
      const { stage, given, client, journal } = await createCase(() => acceptedAnew(), { maxCredits: 45 });
      const submissions = Array.from({ length: 40 }, (_, number) => {
        const options = { tenant: "acme", budget: stage.budget(given) };
        return client.tasks.create(SONG_REQUEST, {
          ...options,
          ...(isJournaled && { journal, journalKey: `order-${number}` }),
        });
      });
      const ended = await Promise.allSettled(submissions);
      const refusals = ended.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      expect(refusals).toHaveLength(36);
      for (const { spent, reserved, credits } of refusals)
        expect({ spent, reserved, credits }).toEqual({ spent: 0, reserved: 40, credits: 10 });
    },
  );

  test.each(["wait", "watch"] as const)("after `create`, a `%s` of another process settles", async (call) => {
    const { client, budget, stage, given, used } = await createCase(inTurn(accepted, done));
    const { task_id } = await client.tasks.create(SONG_REQUEST, { tenant: "acme", budget });
    expect(await used()).toEqual({ spent: 0, reserved: 10 });
    const options = { tenant: "acme", budget: stage.budget(given) };
    if (call === "wait") await client.tasks.wait(task_id, options);
    else await all(client.tasks.watch(task_id, options));
    expect(await used()).toEqual({ spent: 10, reserved: 0 });
  });

  test("the credits that the service has charged are spent, also if they differ from the listed price", async () => {
    const charged = () => ok(succeeded({ credits_cost: 12 }));
    const { run, used } = await createCase(inTurn(accepted, charged));
    await run();
    expect(await used()).toEqual({ spent: 12, reserved: 0 });
  });

  test("two waits on one task settle it once", async () => {
    const { client, budget, used } = await createCase(inTurn(accepted, done));
    const submitted = await client.tasks.create(SONG_REQUEST, { tenant: "acme", budget });
    const wait = () => client.tasks.wait(submitted, { tenant: "acme", budget });
    await Promise.all([wait(), wait()]);
    await wait();
    expect(await used()).toEqual({ spent: 10, reserved: 0 });
  });

  test("a success whose result breaks the contract is spent", async () => {
    const { run, used } = await createCase(inTurn(accepted, () => ok(succeeded({ output: null }))));
    await rejection(run(), InvalidResponseError);
    expect(await used()).toEqual({ spent: 10, reserved: 0 });
  });

  const ENDS = [
    ["success", done, { spent: 10, reserved: 0 }],
    ["failure", () => ok(failed()), { spent: 0, reserved: 0 }],
  ] as const;

  test.each(ENDS)(
    "a wait for a task that was created with a journal ends its reservation: %s",
    async (_, end, expected) => {
      const { client, budget, order, used } = await createCase(inTurn(accepted, end));
      const options = { tenant: "acme", budget };
      const created = await client.tasks.create(SONG_REQUEST, { ...options, ...order });
      expect(await used()).toEqual({ spent: 0, reserved: 10 });
      await client.tasks.wait(created, options).catch(() => {});
      expect(await used()).toEqual(expected);
    },
  );

  test.each(ENDS)(
    "a create that finds its task in the journal, and a wait for it, count nothing twice: %s",
    async (_, end, expected) => {
      const { client, stage, given, requests, budget, order, used } = await createCase(
        inTurn(accepted, end, end),
      );
      for (const each of [budget, stage.budget(given)]) {
        const options = { tenant: "acme", budget: each };
        const created = await client.tasks.create(SONG_REQUEST, { ...options, ...order });
        await client.tasks.wait(created, options).catch(() => {});
        expect(await used()).toEqual(expected);
      }
      expect(posts({ requests })).toHaveLength(1);
    },
  );

  test("a create that finds the journaled task of a settled reservation reserves nothing", async () => {
    const { client, stage, given, budget, order, used } = await createCase(inTurn(accepted, done));
    const create = (each: Budget) =>
      client.tasks.create(SONG_REQUEST, { tenant: "acme", budget: each, ...order });
    await client.tasks.wait(await create(budget), { tenant: "acme", budget });
    await create(stage.budget(given));
    expect(await used()).toEqual({ spent: 10, reserved: 0 });
  });

  const READERS = ["wait", "watch"] as const;
  const ALL_ENDS = [...ENDS, ["timeout", timedOut, { spent: 0, reserved: 0 }]] as const;

  test.each(ALL_ENDS.flatMap(([end, ...more]) => READERS.map((reader) => [reader, end, ...more] as const)))(
    "after a `%s` has read the end, a `create` that is repeated reserves nothing: %s",
    async (reader, _, end, expected) => {
      const { client, stage, given, budget, order, requests, used } = await createCase(
        inTurn(accepted, end, end),
        { maxCredits: 15, per: "total" },
      );
      const options = { tenant: "acme", budget };
      const created = await client.tasks.create(SONG_REQUEST, { ...options, ...order });
      const read = async (later: Budget) => {
        const { tasks } = client;
        if (reader === "wait") await tasks.wait(created, { ...options, budget: later }).catch(() => {});
        else await all(tasks.watch(created, { ...options, budget: later }));
      };
      await read(budget);
      for (const each of [budget, stage.budget(given)]) {
        expect(await client.tasks.create(SONG_REQUEST, { ...options, budget: each, ...order })).toEqual(
          created,
        );
        expect(await used()).toEqual(expected);
      }
      await read(stage.budget(given));
      expect(await used()).toEqual(expected);
      expect(posts({ requests })).toHaveLength(1);
    },
  );

  test.each(ENDS.flatMap(([end, ...more]) => READERS.map((reader) => [reader, end, ...more] as const)))(
    "a `%s` of another process ends the reservation of a task that only the journal names: %s",
    async (reader, _, end, expected) => {
      const { client, stage, given, budget, journal, order, used } = await createCase(
        inTurn(() => acceptedAnew(), accepted, end),
        { per: "total" },
      );
      const options = { tenant: "acme", budget: killedBeforeNote(budget), journal };
      await client.tasks.create(SONG_REQUEST, { ...options, journalKey: "other" });
      await client.tasks.create(SONG_REQUEST, { ...options, ...order });
      expect(await used()).toEqual({ spent: 0, reserved: 20 });
      const later = { tenant: "acme", budget: stage.budget({ ...given, journal }) };
      if (reader === "wait") await client.tasks.wait(TASK_ID, later).catch(() => {});
      else await all(client.tasks.watch(TASK_ID, later));
      expect(await used()).toEqual({ ...expected, reserved: 10 });
    },
  );

  /** Settles the key with its task, and runs it: the price is reserved again, and spent once the task has succeeded. */
  async function expectReservedAgain({
    run,
    journal,
    order,
    used,
  }: Awaited<ReturnType<typeof createCase>>): Promise<void> {
    await settleOutcome(journal, KEY, TASK_ID);
    const seen: unknown[] = [];
    await run({ ...order, onSubmitted: async () => void seen.push(await used()) });
    expect(seen).toEqual([{ spent: 0, reserved: 10 }]);
    expect(await used()).toEqual({ spent: 10, reserved: 0 });
  }

  test("a key that is corrected after a wrong task has failed reserves again, and counts what was charged", async () => {
    const setting = await createCase(inTurn(lost, otherFailed, otherFailed, () => ok(task()), done));
    const { client, budget, run, journal, order, used } = setting;
    await rejection(run(order), SubmissionOutcomeUnknownError);
    await settleOutcome(journal, KEY, OTHER_TASK_ID);
    const options = { tenant: "acme", budget };
    const wrong = await client.tasks.create(SONG_REQUEST, { ...options, ...order });
    await rejection(client.tasks.wait(wrong, options), TaskFailedError);
    expect(await used()).toEqual({ spent: 0, reserved: 0 });
    await expectReservedAgain(setting);
  });

  test("the success of a wrong task that a person has named stays spent, so that the budget is never exceeded", async () => {
    const otherDone = () => ok(succeeded({ task_id: OTHER_TASK_ID }));
    const setting = await createCase(inTurn(lost, otherDone, accepted, done));
    const { run, journal, order, used } = setting;
    await rejection(run(order), SubmissionOutcomeUnknownError);
    await settleOutcome(journal, KEY, OTHER_TASK_ID);
    await run(order);
    expect(await used()).toEqual({ spent: 10, reserved: 0 });
    await settleOutcome(journal, KEY, null);
    expect(await used()).toEqual({ spent: 10, reserved: 0 });
    await run(order);
    expect(await used()).toEqual({ spent: 20, reserved: 0 });
  });

  test("a journal that is not the one of the budget is refused, and nothing is sent", async () => {
    const { run, requests } = await createCase(inTurn(accepted, done), { journal: memoryJournal() });
    const journal = memoryJournal();
    const error = await rejection(run({ journal, journalKey: KEY }), InvalidOptionError);
    expect(error.message).toContain("journal");
    expect(posts({ requests })).toHaveLength(0);
    expect(await journal.get(KEY)).toBeNull();
  });

  test("a task that was settled as not created by mistake is reserved again once its run continues", async () => {
    const setting = await createCase(inTurn(lost, () => ok(task()), done));
    const { run, journal, order, used } = setting;
    await rejection(run(order), SubmissionOutcomeUnknownError);
    expect(await used()).toEqual({ spent: 0, reserved: 10 });
    await settleOutcome(journal, KEY, null);
    expect(await used()).toEqual({ spent: 0, reserved: 0 });
    await expectReservedAgain(setting);
  });

  test("a budget with its journal frees what another process has reserved, before it refuses a request", async () => {
    const stage = await createStage();
    const journal = stage.journal();
    const given: BudgetOptions = { maxCredits: 10, per: "total", journal };
    const { client } = createWorld(inTurn(lost, accepted, done));
    const options = (budget: Budget, journalKey: string) => ({ tenant: "acme", budget, journal, journalKey });
    await rejection(
      client.tasks.run(SONG_REQUEST, options(stage.budget(given), KEY)),
      SubmissionOutcomeUnknownError,
    );
    const later = stage.budget(given);
    await rejection(client.tasks.run(SONG_REQUEST, options(later, "order-2")), CreditCeilingError);
    await settleOutcome(journal, KEY, null);
    await client.tasks.run(SONG_REQUEST, options(later, "order-2"));
    expect(await later.usage("acme")).toMatchObject({ spent: 10, reserved: 0, until: null });
  });

  test("a run that takes a freed key frees what the key had reserved", async () => {
    const { stage, given, run, order } = await createCase(inTurn(lost, accepted, done), { maxCredits: 10 });
    await rejection(run({ ...order, budget: stage.budget(given) }), SubmissionOutcomeUnknownError);
    await settleOutcome(order.journal, KEY, null);
    const later = stage.budget(given);
    await run({ ...order, budget: later });
    expect(await later.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
  });

  test("a run that finds its task continues with its reservation, also in another process", async () => {
    const { stage, given, run, order, requests } = await createCase(inTurn(accepted, () => ok(task()), done));
    await rejection(run({ ...order, budget: stage.budget(given), maxWaitMs: 5000 }), WaitTimeoutError);
    const later = stage.budget(given);
    expect(await later.usage("acme")).toMatchObject({ spent: 0, reserved: 10 });
    for (const _ of [1, 2]) await run({ ...order, budget: later });
    expect(await later.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
    expect(posts({ requests })).toHaveLength(1);
  });

  test("a settlement that is corrected after a wait frees its task, and reserves again if it was right", async () => {
    let hasEnded = false;
    const { run, journal, order, used } = await createCase(
      inTurn(lost, () => ok(hasEnded ? succeeded() : task())),
    );
    await rejection(run(order), SubmissionOutcomeUnknownError);
    await settleOutcome(journal, KEY, TASK_ID);
    await rejection(run({ ...order, maxWaitMs: 5000 }), WaitTimeoutError);
    await settleOutcome(journal, KEY, null);
    expect(await used()).toEqual({ spent: 0, reserved: 0 });
    await settleOutcome(journal, KEY, TASK_ID);
    const seen: unknown[] = [];
    await run({
      ...order,
      onUpdate: async () => {
        hasEnded = true;
        seen.push(await used());
      },
    });
    expect(seen).toEqual([
      { spent: 0, reserved: 10 },
      { spent: 10, reserved: 0 },
    ]);
  });

  test("a task whose entry is deleted before the budget has read its end counts as spent", async () => {
    const { stage, given, client, budget, journal, order } = await createCase(inTurn(accepted));
    await client.tasks.create(SONG_REQUEST, { tenant: "acme", budget, ...order });
    const { revision = "" } = (await journal.get(KEY)) ?? {};
    expect(await journal.delete(KEY, revision)).toBe(true);
    const later = stage.budget({ ...given, journal });
    expect(await later.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
  });

  test("a request that a budget refuses leaves its journal key free, and nothing in the journal", async () => {
    const { journal, order, run } = await createCase(inTurn(accepted, done), { maxCredits: 5 });
    await rejection(run(order), CreditCeilingError);
    expect(await journal.get(KEY)).toBeNull();
  });

  test("a run of another process that finds the intent first does not raise the maximum", async () => {
    const { stage, given, client, requests } = await createCase(() => acceptedAnew(), { maxCredits: 10 });
    const reserved = async () => (await stage.budget(given).usage("acme")).reserved;
    await client.tasks.create(SONG_REQUEST, { tenant: "acme", budget: stage.budget(given) });
    const stored = memoryJournal();
    const run = (journal: Journal) => {
      const budget = stage.budget(given);
      return client.tasks.run(SONG_REQUEST, { tenant: "acme", budget, journal, journalKey: KEY });
    };
    let second: Promise<unknown> | undefined;
    const first = run({
      ...stored,
      async put(...values) {
        const isPut = await stored.put(...values);
        second ??= Promise.allSettled([run({ ...stored })]);
        await expect.poll(reserved).toBe(20);
        return isPut;
      },
    });
    const error = await rejection(first, CreditCeilingError);
    expect(error).toMatchObject({ spent: 0, reserved: 10, credits: 10, maxCredits: 10 });
    await second;
    expect(posts({ requests })).toHaveLength(1);
    expect(await stored.get(KEY)).toBeNull();
    expect(await reserved()).toBe(10);
  });

  test("a run that leaves just after it has reserved a refused order again leaves nothing reserved", async () => {
    const { stage, given, client, requests } = await createCase(() => acceptedAnew(), { maxCredits: 10 });
    await client.tasks.create(SONG_REQUEST, { tenant: "acme", budget: stage.budget(given) });
    const stored = memoryJournal();
    const run = (journal: Journal, signal?: AbortSignal) => {
      const budget = stage.budget(given);
      return client.tasks.run(SONG_REQUEST, { tenant: "acme", budget, journal, journalKey: KEY, signal });
    };
    const refused = new AbortController();
    let second: Promise<unknown> | undefined;
    const first = run({
      ...stored,
      async put(...values) {
        const isPut = await stored.put(...values);
        const seen = await stored.get(KEY);
        // Its first read returns only after the other run was refused, and its caller leaves.
        const reads = [once(refused.signal, "abort").then(() => seen)];
        const late = { ...stored, get: async (key: string) => reads.pop() ?? stored.get(key) };
        second ??= Promise.allSettled([run(late, refused.signal)]);
        return isPut;
      },
    });
    await rejection(first, CreditCeilingError);
    refused.abort();
    await second;
    expect(posts({ requests })).toHaveLength(1);
    expect((await stage.budget(given).usage("acme")).reserved).toBe(10);
  });

  test("the entry of a key keeps its reservation to its end, and an entry's reservation has no secret", async () => {
    const { journal, order, run } = await createCase(inTurn(accepted, done));
    await run(order);
    const entry = await journal.get(KEY);
    const reservation = { id: expect.stringMatching(/^2026-01-01\/[-\w]{36}$/), tenant: "acme", credits: 10 };
    expect(entry).toMatchObject({ status: "success", reservation });
  });

  test("after the 429 of a create the price is reserved again for the next attempt, and once", async () => {
    for (const isJournaled of [false, true]) {
      const responses = inTurn(refusal(429, "rate_limited"), accepted, done);
      const { run, order, used } = await createCase(responses, { maxCredits: 10 });
      await run(isJournaled ? order : {});
      expect(await used()).toEqual({ spent: 10, reserved: 0 });
    }
  });

  test("two runs with one key reserve once", async () => {
    const { stage, given, client } = await createCase(inTurn(accepted, done), { maxCredits: 10 });
    const run = () => {
      const [journal, budget] = [stage.journal(), stage.budget(given)];
      return client.tasks.run(SONG_REQUEST, { tenant: "acme", budget, journal, journalKey: KEY });
    };
    await Promise.all([run(), run(), run()]);
    expect(await stage.budget(given).usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
  });

  test("a new day begins with nothing spent, and a task counts to the day of its creation", async () => {
    const created = () => accepted(submission({ task_id: OTHER_TASK_ID }));
    const { run, clock, budget } = await createCase(
      inTurn(accepted, done, created, () => ok(succeeded({ task_id: OTHER_TASK_ID }))),
      { maxCredits: 10, timeZone: "America/New_York" },
    );
    await run();
    await rejection(run(), CreditCeilingError);
    const { until, spent } = await budget.usage("acme");
    expect([until?.toISOString(), spent]).toEqual(["2026-01-01T05:00:00.000Z", 10]);
    clock.jump(5 * 3_600_000);
    expect(await budget.usage("acme")).toMatchObject({
      spent: 0,
      reserved: 0,
      until: new Date("2026-01-02T05:00:00Z"),
    });
    await run();
    expect(await budget.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
  });

  test.each(["a}b{c", "Ünïcödé 🎵", "\ud800", "a\0b", "x".repeat(200)])(
    "%j is a tenant, and a key",
    async (name) => {
      const { run, budget, journal } = await createCase(inTurn(accepted, done));
      await run({ tenant: name, journal, journalKey: name });
      expect(await budget.usage(name)).toMatchObject({ spent: 10, reserved: 0 });
      expect(await budget.usage(JSON.stringify(name).slice(0, 200))).toMatchObject({ spent: 0, reserved: 0 });
    },
  );
}

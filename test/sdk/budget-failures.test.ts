import { inspect } from "node:util";
import {
  BudgetError,
  type BudgetOptions,
  CreditCeilingError,
  InsufficientCreditsError,
  InvalidOptionError,
  type Journal,
  memoryBudget,
  memoryJournal,
  type RunOptions,
  SubmissionOutcomeUnknownError,
  TaskFailedError,
} from "async-music";
import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/budget/memory-store.js";
import { periodOf } from "../../src/budget/period.js";
import type { BudgetStore } from "../../src/budget/store.js";
import { budgetOf } from "../../src/budget/tenant-budget.js";
import { createJournalDouble, failAfter } from "../support/journaled.js";
import { rejection } from "../support/rejection.js";
import { accepted, done, failed, ok, refusal, SONG_REQUEST, serveAnew } from "../support/responses.js";
import { API_KEY, createWorld, inTurn } from "../support/world.js";

const KEY = "order-1";
const away = () => Promise.reject(new Error("the database is away"));

/** A budget whose store fails where `broken` has a method. */
function createCase(options: Partial<BudgetOptions> = {}) {
  const broken: Partial<BudgetStore> = {};
  const inner = memoryStore();
  const store: BudgetStore = {
    reserve: (...given) => (broken.reserve ?? inner.reserve)(...given),
    settle: (...given) => (broken.settle ?? inner.settle)(...given),
    free: (...given) => (broken.free ?? inner.free)(...given),
    name: (...given) => (broken.name ?? inner.name)(...given),
    read: (...given) => (broken.read ?? inner.read)(...given),
  };
  const budget = budgetOf(store, { maxCredits: 20, per: "day", ...options });
  const world = createWorld(inTurn(accepted, done));
  const run = (more: RunOptions = {}) =>
    world.client.tasks.run(SONG_REQUEST, { tenant: "acme", budget, ...more });
  return { ...world, inner, broken, budget, run };
}

test("while the database of a budget fails, nothing is sent, and a journal key stays free", async () => {
  const { run, broken, requests, budget } = createCase();
  const journal = memoryJournal();
  broken.reserve = away;
  const error = await rejection(run({ journal, journalKey: KEY }), BudgetError);
  expect(error).toMatchObject({ tenant: "acme", cause: { message: "the database is away" } });
  await rejection(run(), BudgetError);
  expect([requests.length, await journal.get(KEY)]).toEqual([0, null]);
  broken.read = away;
  await rejection(budget.usage("acme"), BudgetError);
});

test("the error of a budget does not contain what the client of its database notes about a command", async () => {
  const { broken, budget } = createCase();
  /** As the errors of Redis clients. */
  class ReplyError extends Error {
    override get name() {
      return "ReplyError";
    }
  }
  const command = { name: "auth", args: ["user", "p4ssw0rd"] };
  broken.read = () => Promise.reject(Object.assign(new ReplyError("WRONGPASS refused"), { command }));
  const error = await rejection(budget.usage("acme"), BudgetError);
  expect(error).toMatchObject({ cause: { name: "ReplyError", message: "WRONGPASS refused" } });
  expect(inspect(error, { depth: 9 })).not.toContain("p4ssw0rd");

  broken.read = () => Promise.reject(new Error("no redis://user:p4ssw0rd@db.example"));
  expect(inspect(await rejection(budget.usage("acme"), BudgetError), { depth: 9 })).not.toContain("p4ssw0rd");
});

test.each([
  ["without a journal", null],
  ["with a journal", { probe: false }],
  ["with a journal and `probe`", { probe: true }],
])(
  "the requests of a tenant whose budget is exhausted use none of the rate limit, %s",
  async (_, journaled) => {
    const world = createWorld(serveAnew);
    const { client, requests } = world;
    const budget = memoryBudget({ maxCredits: 0, per: "day" });
    const [journal, seen] = [memoryJournal(), new Set<string>()];
    client.on("submission", ({ outcome, error }) => void seen.add(`${outcome} ${Object(error).name}`));
    await client.tasks.create(SONG_REQUEST);
    for (let each = 0; each < 150; each++) {
      const order = journaled === null ? {} : { journal, journalKey: `order-${each}`, ...journaled };
      await rejection(
        client.tasks.create(SONG_REQUEST, { tenant: "acme", budget, ...order }),
        CreditCeilingError,
      );
    }
    expect(client.rateLimit.remaining).toBe(119);
    expect([...seen]).toEqual(["created undefined", "not_created CreditCeilingError"]);
    expect(await journal.open()).toEqual([]);
    await client.tasks.create(SONG_REQUEST, { tenant: "other" });
    expect([requests.length, world.clock.elapsed()]).toEqual([2, 0]);
  },
);

test("300 orders at once of a tenant whose budget is exhausted delay no other tenant", async () => {
  const { client, clock, requests } = createWorld(serveAnew);
  const budget = memoryBudget({ maxCredits: 0, per: "day" });
  await client.tasks.create(SONG_REQUEST);
  const refused = Array.from({ length: 300 }, () =>
    rejection(client.tasks.create(SONG_REQUEST, { tenant: "acme", budget }), CreditCeilingError),
  );
  await Promise.all(Array.from({ length: 50 }, () => client.tasks.create(SONG_REQUEST, { tenant: "other" })));
  expect(clock.elapsed()).toBe(0);
  await Promise.all(refused);
  expect([requests.length, client.rateLimit.remaining, clock.elapsed()]).toEqual([51, 69, 0]);
});

test.each([
  ["unrecorded", 1],
  ["recorded", 2],
])(
  "the reservation of an %s task that failed is freed when `create` and `wait` continue with it",
  async (_, puts) => {
    const { client } = createWorld(inTurn(accepted, () => ok(failed())));
    const { journal, broken, inner } = createJournalDouble();
    const budget = memoryBudget({ maxCredits: 20, per: "total" });
    const order = { journal, journalKey: KEY, tenant: "acme", budget };
    const reserved = async () => (await budget.usage("acme")).reserved;
    broken.put = failAfter(puts, inner.put);
    await rejection(client.tasks.run(SONG_REQUEST, order), TaskFailedError);
    expect(await reserved()).toBe(0);
    broken.put = inner.put;
    const created = await client.tasks.create(SONG_REQUEST, order);
    await rejection(client.tasks.wait(created, { tenant: "acme", budget }), TaskFailedError);
    expect(await reserved()).toBe(0);
  },
);

/** An order whose task fails, and what its customer has reserved. */
async function createFailing() {
  const { budget, broken, inner } = createCase({ per: "total" });
  const { client } = createWorld(inTurn(accepted, () => ok(failed())));
  const options = { tenant: "acme", budget };
  const create = () => client.tasks.create(SONG_REQUEST, { ...options, journal, journalKey: KEY });
  const journal = memoryJournal();
  const created = await create();
  return {
    broken,
    inner,
    create,
    wait: (by = budget) => rejection(client.tasks.wait(created, { ...options, budget: by }), TaskFailedError),
    reserved: async () => (await budget.usage("acme")).reserved,
  };
}

test("a `create` that is repeated while the end of its task is read reserves nothing", async () => {
  const { broken, inner, create, wait, reserved } = await createFailing();
  broken.reserve = async (...given) => {
    delete broken.reserve;
    await wait();
    return inner.reserve(...given);
  };
  await create();
  expect(await reserved()).toBe(0);
});

test.each(["free", "settle", "read"] as const)(
  "a `create` that is repeated after the store could not %s at the end of its task reserves nothing",
  async (method) => {
    const { broken, create, wait, reserved } = await createFailing();
    broken[method] = away;
    await wait();
    delete broken[method];
    expect(await reserved()).toBe(0);
    await create();
    expect(await reserved()).toBe(0);
  },
);

test("after a restart, another `wait` frees what the store could not free at the end of the task", async () => {
  const { broken, inner, wait } = await createFailing();
  broken.free = away;
  await wait();
  const restarted = budgetOf(inner, { maxCredits: 20, per: "total" });
  expect((await restarted.usage("acme")).reserved).toBe(10);
  await wait(restarted);
  expect((await restarted.usage("acme")).reserved).toBe(0);
});

test.each([
  ["a success", done, { spent: 10, reserved: 0 }],
  ["a failure", () => ok(failed()), { spent: 0, reserved: 0 }],
])(
  "%s that `follow` could not settle closes its key, and another process with the journal settles it",
  async (_, end, expected) => {
    const { budget, broken, inner } = createCase();
    const { client, clock } = createWorld(inTurn(accepted, end));
    const journal = memoryJournal();
    await client.tasks.create(SONG_REQUEST, { tenant: "acme", budget, journal, journalKey: KEY });
    Object.assign(broken, { settle: away, free: away });
    const stop = new AbortController();
    const follow = async () => {
      for await (const { key } of client.tasks.follow(journal, { budget, signal: stop.signal }))
        stop.abort(`${key} was delivered`);
    };
    await expect(follow()).rejects.toBe(`${KEY} was delivered`);
    expect(await journal.open()).toEqual([]);
    const restarted = (given: Partial<BudgetOptions>) =>
      budgetOf(inner, { maxCredits: 20, per: "day", clock, ...given }).usage("acme");
    expect(await restarted({})).toMatchObject({ spent: 0, reserved: 10 });
    expect(await restarted({ journal })).toMatchObject(expected);
  },
);

test("`usage` frees what is no longer needed, also if an earlier call fails to read it", async () => {
  const { budget, broken, inner } = createCase({ per: "total", journal: memoryJournal() });
  // The run was refused, and could not free it: the journal has no entry of the key.
  await inner.reserve({
    reservation: { id: "total/refused", tenant: "acme", credits: 10 },
    key: KEY,
    maxCredits: 20,
    oldest: "",
  });
  const reading = new Promise<(error: Error) => void>((resolve) => {
    broken.read = () => {
      delete broken.read;
      return new Promise((_, reject) => resolve(reject));
    };
  });
  const earlier = budget.usage("acme");
  const fail = await reading;
  const later = budget.usage("acme");
  fail(new Error("the database was away"));
  await earlier;
  expect((await later).reserved).toBe(0);
});

test("a tenant whose budget was exhausted orders again as soon as the price fits", async () => {
  const { run, budget, inner, requests } = createCase();
  await inner.reserve({
    reservation: { id: "2026-01-01/other", tenant: "acme", credits: 15 },
    key: null,
    maxCredits: 20,
    oldest: "",
  });
  await rejection(run(), CreditCeilingError);
  await rejection(run(), CreditCeilingError);
  await inner.free({ id: "2026-01-01/other", tenant: "acme", credits: 15 });
  await run();
  expect(requests).not.toEqual([]);
  expect((await budget.usage("acme")).spent).toBe(10);
});

test("a reservation of which the response was lost is freed", async () => {
  const { run, broken, inner, budget } = createCase();
  broken.reserve = async (...given) => {
    await inner.reserve(...given);
    return away();
  };
  broken.free = away;
  await rejection(run(), BudgetError);
  delete broken.free;
  expect(await budget.usage("acme")).toMatchObject({ spent: 0, reserved: 0 });
});

test("a success that cannot be settled is returned, leaves its key open, and is settled later", async () => {
  const { run, broken, budget } = createCase();
  const journal = memoryJournal();
  broken.settle = away;
  await run({ journal, journalKey: KEY });
  expect(await journal.open()).toMatchObject([{ key: KEY, state: "submitted" }]);
  delete broken.settle;
  expect(await budget.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
  await run({ journal, journalKey: KEY });
  expect(await journal.open()).toEqual([]);
  expect(await budget.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
});

test("without a journal, a success that cannot be settled is settled later", async () => {
  const { run, broken, budget } = createCase();
  broken.settle = away;
  await run();
  delete broken.settle;
  expect(await budget.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
});

test("a task that the store cannot note is still settled by this process", async () => {
  const { client, broken, budget } = createCase();
  broken.name = away;
  const { task_id } = await client.tasks.create(SONG_REQUEST, { tenant: "acme", budget });
  await client.tasks.wait(task_id, { tenant: "acme", budget });
  expect(await budget.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
});

test.each([
  ["a success", done, { spent: 10, reserved: 0 }],
  ["a failure", () => ok(failed()), { spent: 0, reserved: 0 }],
])(
  "a task that the store cannot note is noted later, and another process ends its reservation: %s",
  async (...row) => {
    const [, end, expected] = row;
    const { budget, broken, inner } = createCase({ per: "total" });
    const { client } = createWorld(inTurn(accepted, end));
    const other = budgetOf(inner, { maxCredits: 20, per: "total" });
    const calls: string[] = [];
    broken.name = (_, taskId) => {
      calls.push(taskId);
      return away();
    };
    const { task_id } = await client.tasks.create(SONG_REQUEST, { tenant: "acme", budget });
    await client.tasks.wait(task_id, { tenant: "acme", budget: other }).catch(() => {});
    expect(await other.usage("acme")).toMatchObject({ reserved: 10 });
    expect(await budget.usage("acme")).toMatchObject({ reserved: 10 });
    expect(calls).toEqual([task_id, task_id]);

    delete broken.name;
    await budget.usage("bolt");
    expect(await other.usage("acme")).toMatchObject({ reserved: 10 });
    await budget.usage("acme");
    expect(await other.usage("acme")).toMatchObject(expected);
    expect(await budget.usage("acme")).toMatchObject(expected);
  },
);

test("a refused order notes the tasks that the store could not note, and a later `wait` ends their reservation", async () => {
  const { budget, broken, inner } = createCase({ per: "total", maxCredits: 10 });
  const { client } = createWorld(inTurn(accepted, done));
  broken.name = away;
  const { task_id } = await client.tasks.create(SONG_REQUEST, { tenant: "acme", budget });
  delete broken.name;
  await rejection(client.tasks.create(SONG_REQUEST, { tenant: "acme", budget }), CreditCeilingError);
  const other = budgetOf(inner, { maxCredits: 10, per: "total" });
  await client.tasks.wait(task_id, { tenant: "acme", budget: other });
  expect(await other.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
});

test("a journal that fails frees nothing", async () => {
  const journal = memoryJournal();
  const { inner, budget, clock } = createCase({ per: "total", journal: { ...journal, get: away } });
  const reservation = { id: "total/1", tenant: "acme", credits: 10 };
  await inner.reserve({ reservation, key: KEY, maxCredits: 20, oldest: "" });
  expect(clock.elapsed()).toBe(0);
  expect(await budget.usage("acme")).toMatchObject({ reserved: 10 });
});

test("what another process reserves again for a refused order before its key is free is freed, too", async () => {
  const { inner, budget } = createCase({ per: "total" });
  const [{ client }, other] = [
    createWorld(() => refusal(402, "insufficient_credits")),
    createWorld(serveAnew),
  ];
  const { journal, inner: entries, broken } = createJournalDouble();
  const reserved: number[] = [];
  broken.delete = async (...call) => {
    const anew = budgetOf(inner, { maxCredits: 20, per: "total" });
    const order = { journal: { ...entries }, journalKey: KEY, tenant: "acme", budget: anew };
    await rejection(other.client.tasks.run(SONG_REQUEST, order), SubmissionOutcomeUnknownError);
    reserved.push((await budget.usage("acme")).reserved);
    return entries.delete(...call);
  };
  const order = { journal, journalKey: KEY, tenant: "acme", budget };
  await rejection(client.tasks.run(SONG_REQUEST, order), InsufficientCreditsError);
  reserved.push((await budget.usage("acme")).reserved);
  expect([reserved, await entries.get(KEY)]).toEqual([[10, 0], null]);
});

test("the error of an exhausted budget has its numbers, and no secret", async () => {
  const { run } = createCase({ maxCredits: 9 });
  const error = await rejection(run({ tenant: "acme" }), CreditCeilingError);
  expect(error).toMatchObject({ tenant: "acme", spent: 0, reserved: 0, spentCredits: 0, maxCredits: 9 });
  expect(error.message).toContain('it costs 10 credits, and 9 of the 9 of tenant "acme" are left');
  await rejection(run({ tenant: `a${API_KEY}` }), InvalidOptionError);
});

test.each([
  ["maxCredits", { per: "day" }],
  ["maxCredits", { maxCredits: -1, per: "day" }],
  ["maxCredits", { maxCredits: Number.POSITIVE_INFINITY, per: "day" }],
  ["per", { maxCredits: 1 }],
  ["per", { maxCredits: 1, per: "week" }],
  ["per", { maxCredits: 1, per: ["day"] }],
  ["timeZone", { maxCredits: 1, per: "day", timeZone: "Mars/Olympus" }],
  ["journal", { maxCredits: 1, per: "day", journal: {} }],
  ["maxCredits", { maxCredit: 1, per: "day" }],
])("an invalid `%s` is refused", (option, options) => {
  const make = () => memoryBudget(options as never);
  expect(make).toThrow(InvalidOptionError);
  expect(make).toThrow(option);
});

test("a budget needs a tenant, and is one of this package", async () => {
  const { client, budget } = createCase();
  const { tasks } = client;
  for (const call of [
    () => tasks.run(SONG_REQUEST, { budget }),
    () => tasks.create(SONG_REQUEST, { budget }),
    () => tasks.wait("a", { budget }),
    () => tasks.run(SONG_REQUEST, { tenant: "acme", budget: { usage: away } as never }),
  ])
    await rejection((async () => void (await call()))(), InvalidOptionError);
  expect(() => tasks.runAll([SONG_REQUEST], { budget })).toThrow(InvalidOptionError);
  await rejection(budget.usage(""), InvalidOptionError);
});

test("in any order of operations, repeated or not, a store agrees with a simple model", async () => {
  const operation = fc.record({
    kind: fc.constantFrom("reserve", "resume", "settle", "free", "name"),
    id: fc.integer({ min: 0, max: 5 }),
    tenant: fc.constantFrom("acme", "bolt"),
    credits: fc.integer({ min: 1, max: 10 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
      const store = memoryStore();
      const state = new Map<string, { open: number | null; spent: number | null; tenant: string }>();
      const sum = (tenant: string, of: "open" | "spent") =>
        [...state.values()].reduce((all, each) => all + (each.tenant === tenant ? (each[of] ?? 0) : 0), 0);
      for (const { kind, id, tenant, credits } of operations) {
        const reservation = { id: `p/${tenant}${id}`, tenant, credits };
        const known = state.get(reservation.id) ?? { open: null, spent: null, tenant };
        if ((kind === "reserve" || kind === "resume") && known.spent === null) {
          const maxCredits = kind === "reserve" ? 20 : Number.MAX_SAFE_INTEGER;
          const used = { spent: sum(tenant, "spent"), reserved: sum(tenant, "open") - (known.open ?? 0) };
          const isReserved = used.spent + used.reserved + credits <= maxCredits;
          const result = await store.reserve({ reservation, key: null, maxCredits, oldest: "" });
          expect(result).toEqual({ isReserved, ...used });
          if (isReserved) known.open ??= credits;
        }
        if (kind === "settle") {
          await store.settle(reservation, credits);
          known.open = null;
          known.spent ??= credits;
        }
        if (kind === "free") {
          await store.free(reservation);
          known.open = null;
        }
        if (kind === "name") await store.name(reservation, "task");
        state.set(reservation.id, known);
        const { spent, open } = await store.read(tenant, "p");
        const reserved = open.reduce((all, each) => all + each.credits, 0);
        expect({ spent, reserved }).toEqual({ spent: sum(tenant, "spent"), reserved: sum(tenant, "open") });
        expect(open.every((each) => periodOf(each) === "p")).toBe(true);
      }
    }),
  );
});

test("orders that are aborted before they are sent use none of the rate limit", async () => {
  const { client, clock, requests } = createWorld(serveAnew);
  await client.tasks.create(SONG_REQUEST);
  const inner = memoryJournal();
  const journal: Journal = {
    ...inner,
    async put(...entry) {
      await clock.sleep(1000);
      return inner.put(...entry);
    },
  };
  const leaving = new AbortController();
  const { signal } = leaving;
  const left = Array.from({ length: 100 }, (_, each) =>
    client.tasks
      .run(SONG_REQUEST, { journal, journalKey: `order-${each}`, signal })
      .catch((error: unknown) => error),
  );
  await clock.sleep(500);
  leaving.abort();
  await Promise.all(left);
  expect([requests.length, client.rateLimit.remaining, await inner.open()]).toEqual([1, 119, []]);
});

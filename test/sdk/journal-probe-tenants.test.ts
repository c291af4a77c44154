import {
  type Budget,
  BudgetError,
  CreditCeilingError,
  type Journal,
  memoryBudget,
  memoryJournal,
  type RunOptions,
  ServerError,
  SubmissionOutcomeUnknownError,
} from "async-music";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/budget/memory-store.js";
import { budgetOf } from "../../src/budget/tenant-budget.js";
import { KEY } from "../support/journaled.js";
import { journalEntry, posts } from "../support/journals.js";
import { createRateLimit } from "../support/limited-service.js";
import { createOwnPacer } from "../support/own-pacer.js";
import { rejection } from "../support/rejection.js";
import { lost, OTHER_TASK_ID, refusal, SONG_REQUEST, serveAnew, usage } from "../support/responses.js";
import { type Answerer, createWorld, type SeenRequest } from "../support/world.js";

// With `probe`, a run reads the usage before its POST. That read belongs to its tenant, and is not sent if its budget refuses the order.

const isUsage = ({ path }: { path: string }) => path.endsWith("/usage");
const serveUsage = (request: SeenRequest) => (isUsage(request) ? usage() : serveAnew(request));

/** An order of `acme` that reads the usage before its POST. */
function createOrder(
  answer: Answerer = serveUsage,
  budget: Budget = memoryBudget({ maxCredits: 10, per: "day" }),
) {
  const world = createWorld(answer);
  const journal = memoryJournal();
  const options = { tenant: "acme", budget, journal, journalKey: KEY, probe: true };
  const create = (more: RunOptions = {}) => world.client.tasks.create(SONG_REQUEST, { ...options, ...more });
  return { ...world, journal, budget, create };
}

test("the reads of the usage before a POST and after an unknown outcome have the tenant of their order", async () => {
  const { pacer, asked } = createOwnPacer();
  const { client } = createWorld((request) => (isUsage(request) ? usage() : lost()), { pacer });
  const order = { tenant: "acme", journal: memoryJournal(), journalKey: KEY, probe: true };
  const error = await rejection(client.tasks.run(SONG_REQUEST, order), SubmissionOutcomeUnknownError);
  expect(error.evidence).toBe("not_created");
  expect(asked.map(({ kind, tenant }) => [kind, tenant])).toEqual([
    ["account", "acme"],
    ["create", "acme"],
    ["account", "acme"],
  ]);
});

test("a tenant does not wait until the usage was read for all orders of another one", async () => {
  const limit = createRateLimit();
  const { client, clock, create, journal } = createOrder(
    (request) => limit.count(request, () => serveUsage(request)),
    memoryBudget({ maxCredits: 20, per: "day" }),
  );
  await create({ journalKey: "before" });
  await clock.sleep(120_000);
  const crowd = Array.from({ length: 400 }, (_, each) =>
    client.tasks.create(SONG_REQUEST, { tenant: "crowd", journal, journalKey: `crowd-${each}`, probe: true }),
  );
  await clock.sleep(1000);
  const begunAt = clock.elapsed();
  await create();
  expect(clock.elapsed() - begunAt).toBeLessThan(500);
  expect(limit.refused()).toBe(0);
  await Promise.all(crowd);
});

test("a loop over orders that their budget refuses is done at once, and sends nothing", async () => {
  const { create, requests, clock, journal } = createOrder(
    serveUsage,
    memoryBudget({ maxCredits: 9, per: "day" }),
  );
  for (let each = 0; each < 150; each++)
    await rejection(create({ journalKey: `order-${each}` }), CreditCeilingError);
  expect([requests, clock.elapsed(), await journal.open()]).toEqual([[], 0, []]);
});

test("a refusal before the usage is read has the numbers that refuse the order", async () => {
  const { create, budget } = createOrder(undefined, memoryBudget({ maxCredits: 25, per: "day" }));
  await create();
  await create({ journalKey: "order-2" });
  const error = await rejection(create({ journalKey: "order-3" }), CreditCeilingError);
  expect(error).toMatchObject({ tenant: "acme", spent: 0, reserved: 20, maxCredits: 25, credits: 10 });
  expect(await budget.usage("acme")).toMatchObject({ spent: 0, reserved: 20 });
});

test.each<[what: string, fail: (stop: AbortController) => ReturnType<Answerer>, expected: unknown]>([
  ["fails", () => refusal(500, "internal_error"), expect.any(ServerError)],
  [
    "is aborted",
    (stop) => {
      stop.abort("the customer left");
      return new Promise(() => {});
    },
    "the customer left",
  ],
])(
  "if the read of the usage %s after the budget allowed the order, nothing stays reserved",
  async (...row) => {
    const [, fail, expected] = row;
    const stop = new AbortController();
    const world = createOrder((request) => (isUsage(request) ? fail(stop) : serveAnew(request)));
    const { create, budget, journal } = world;
    await expect(create({ signal: stop.signal })).rejects.toEqual(expected);
    expect([posts(world), await journal.get(KEY)]).toEqual([[], null]);
    expect(await budget.usage("acme")).toMatchObject({ spent: 0, reserved: 0 });
  },
);

test("orders at once that the budget allows only together with nothing else stay within it", async () => {
  const world = createOrder(serveUsage, memoryBudget({ maxCredits: 25, per: "day" }));
  const orders = Array.from({ length: 20 }, (_, each) => world.create({ journalKey: `order-${each}` }));
  const ended = await Promise.allSettled(orders);
  const refused = ended.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  expect(refused).toEqual(Array(18).fill(expect.any(CreditCeilingError)));
  expect(posts(world)).toHaveLength(2);
  expect(await world.budget.usage("acme")).toMatchObject({ spent: 0, reserved: 20 });
});

test("while the database of the budget fails, the usage is not read", async () => {
  const store = { ...memoryStore(), read: () => Promise.reject(new Error("the database is away")) };
  const { create, requests, journal } = createOrder(
    serveUsage,
    budgetOf(store, { maxCredits: 10, per: "day" }),
  );
  await rejection(create(), BudgetError);
  expect([requests, await journal.get(KEY)]).toEqual([[], null]);
});

test("an order whose price another process has just reserved under its key continues with that task", async () => {
  const store = memoryStore();
  const budget = budgetOf(store, { maxCredits: 10, per: "total" });
  const world = createOrder(serveUsage, budget);
  const { journal, create } = world;
  const reservation = { id: "total/other", tenant: "acme", credits: 10 };
  let reads = 0;
  const racing: Journal = {
    ...journal,
    async get(key) {
      const entry = await journal.get(key);
      // After the run has found a free key.
      if (reads++ === 0) {
        await store.reserve({ reservation, key, maxCredits: 10, oldest: "" });
        const record = { task_id: OTHER_TASK_ID, request: SONG_REQUEST, reservation };
        await journal.put(key, journalEntry("submitted", record), null);
      }
      return entry;
    },
  };
  expect((await create({ journal: racing })).task_id).toBe(OTHER_TASK_ID);
  expect(posts(world)).toEqual([]);
});

import { CreditCeilingError, type Journal, memoryBudget, memoryJournal, settleOutcome } from "async-music";
import { expect, test } from "vitest";
import { rejection } from "../support/rejection.js";
import { acceptedAnew, lost, SONG_REQUEST } from "../support/responses.js";
import { createWorld, inTurn } from "../support/world.js";

/** The budget of `acme` is full of open orders. The journal is on a database with one connection: a statement takes 1 ms. */
async function createFull(openOrders: number) {
  const world = createWorld(inTurn(lost, acceptedAnew));
  const { client, clock } = world;
  /** Of the entries of open orders: all reads, those in progress, and the most at the same time. */
  const reads = { all: 0, current: 0, most: 0 };
  let freeAt = 0;
  const statement = async <Value>(work: Promise<Value>) => {
    const value = await work;
    freeAt = Math.max(freeAt, clock.elapsed()) + 1;
    await clock.sleep(freeAt - clock.elapsed());
    return value;
  };
  const inner = memoryJournal();
  const journal: Journal = {
    async get(key) {
      const count = key.startsWith("open-") ? 1 : 0;
      reads.all += count;
      reads.current += count;
      reads.most = Math.max(reads.most, reads.current);
      const entry = await statement(inner.get(key));
      reads.current -= count;
      return entry;
    },
    put: (...entry) => statement(inner.put(...entry)),
    delete: (...revision) => statement(inner.delete(...revision)),
  };
  const budget = memoryBudget({ maxCredits: openOrders * 10, per: "total", journal });
  const create = (journalKey: string, tenant = "acme") =>
    client.tasks.create(SONG_REQUEST, { tenant, budget, journal, journalKey });
  // The outcome of the first order is unknown.
  for (let each = 0; each < openOrders; each++) await create(`open-${each}`).catch(() => {});
  reads.all = 0;
  return { ...world, inner, budget, create, reads };
}

test("many refused orders of a tenant with many open orders share few reads, and delay no other tenant", async () => {
  const { clock, create, budget, reads } = await createFull(50);
  const refused = Array.from({ length: 10 }, (_, each) =>
    rejection(create(`refused-${each}`), CreditCeilingError),
  );
  const shown = Array.from({ length: 10 }, () => budget.usage("acme"));
  await clock.sleep(40);
  const begunAt = clock.elapsed();
  await create("order-1", "bolt");
  expect(clock.elapsed() - begunAt).toBeLessThan(200);
  await Promise.all(refused);
  for (const usage of await Promise.all(shown)) expect(usage).toMatchObject({ spent: 0, reserved: 500 });
  expect(reads.all).toBeLessThanOrEqual(200);
  expect(reads.most).toBe(4);
});

test("`usage` frees a reservation that has ended, also while an earlier call reads the entries of the tenant", async () => {
  const { clock, create, inner, budget, reads } = await createFull(50);
  const earlier = budget.usage("acme");
  await clock.sleep(10);
  expect(reads.all).toBeGreaterThan(4);
  await clock.during(settleOutcome(inner, "open-0", null));
  expect(await budget.usage("acme")).toMatchObject({ spent: 0, reserved: 490 });
  await create("order-1");
  await earlier;
});

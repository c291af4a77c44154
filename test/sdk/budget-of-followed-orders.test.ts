import {
  type Budget,
  InvalidResponseError,
  type Journal,
  memoryBudget,
  memoryJournal,
  settleOutcome,
  TaskNotFoundError,
} from "async-music";
import { expect, test } from "vitest";
import { KEY } from "../support/journaled.js";
import {
  acceptedAnew,
  lost,
  ok,
  refusal,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
  taskIdIn,
} from "../support/responses.js";
import { createWorld } from "../support/world.js";

// A budget with `journal` ends the reservations of orders that a relay has delivered, which has no budget.

const WRONG_ID = "0b9f3c2e-6a4d-4f3b-9a51-2f0c8b6d7e10";

/** How the task of the order of `acme` ends. The other task succeeds. */
type End = "unusable" | "not found";

/** An order of `acme`, and an earlier one of another customer. */
async function createOrder(end: End, { isLost = false } = {}) {
  let [own, isFirst] = [isLost ? WRONG_ID : "", true];
  const world = createWorld(({ method, path }) => {
    if (method === "POST" && isLost && !isFirst) return lost();
    isFirst = false;
    if (method === "POST") return acceptedAnew();
    const taskId = taskIdIn({ path });
    if (taskId !== own) return ok(succeeded({ task_id: taskId }));
    if (end === "not found") return refusal(404, "task_not_found");
    return ok(succeeded({ task_id: taskId, output: null }));
  });
  const journal = memoryJournal();
  const budget = memoryBudget({ maxCredits: 20, per: "total", journal });
  const create = (tenant: string, journalKey: string) =>
    world.client.tasks.create(SONG_REQUEST, { tenant, budget, journal, journalKey });
  await create("other", "order-0");
  const created = await create("acme", KEY).catch(() => null);
  own = created?.task_id ?? own;
  const used = async () => {
    const { spent, reserved } = await budget.usage("acme");
    return { spent, reserved };
  };
  /** Follows the journal until both orders have ended, as a relay does. */
  const follow = async (options: { budget?: Budget } = {}) => {
    const stop = new AbortController();
    const ends: unknown[] = [];
    try {
      for await (const { key, error } of world.client.tasks.follow(journal, {
        signal: stop.signal,
        ...options,
      })) {
        if (key === KEY) ends.push(error);
        if ((await unacknowledged(journal)) <= 1)
          void world.clock.sleep(10_000).then(() => stop.abort("over"));
      }
    } catch (reason) {
      expect(reason).toBe("over");
    }
    return ends;
  };
  return { ...world, journal, budget, used, follow };
}

const unacknowledged = async (journal: Pick<Required<Journal>, "unacknowledged">) =>
  (await journal.unacknowledged()).length;

test.each<[what: string, end: End, error: unknown, entry: object]>([
  ["whose result is unusable", "unusable", InvalidResponseError, { status: "success", acknowledged: true }],
  ["that is not found", "not found", TaskNotFoundError, { acknowledged: true }],
])(
  "the price of a task %s is spent once a follower has delivered its end",
  async (_, end, type, expected) => {
    for (const hasBudget of [false, true]) {
      const { budget, journal, used, follow } = await createOrder(end);
      expect(await used()).toEqual({ spent: 0, reserved: 10 });
      expect(await follow(hasBudget ? { budget } : {})).toEqual([expect.any(type)]);
      expect(await journal.get(KEY)).toMatchObject(expected);
      expect(await used()).toEqual({ spent: 10, reserved: 0 });
      expect(await journal.unacknowledged()).toEqual([]);
    }
  },
);

test("the price of a task that a person has named, and that is not found, stays reserved until that is corrected", async () => {
  const { journal, used, follow } = await createOrder("not found", { isLost: true });
  await settleOutcome(journal, KEY, WRONG_ID);
  expect(await follow()).toEqual([expect.any(TaskNotFoundError)]);
  expect(await used()).toEqual({ spent: 0, reserved: 10 });
  await settleOutcome(journal, KEY, TASK_ID);
  expect(await follow()).toEqual([undefined]);
  expect(await used()).toEqual({ spent: 10, reserved: 0 });
});

test("the price of a task that a person has named wrongly is free once none is named", async () => {
  const { journal, used, follow } = await createOrder("not found", { isLost: true });
  await settleOutcome(journal, KEY, WRONG_ID);
  await follow();
  await settleOutcome(journal, KEY, null);
  expect(await used()).toEqual({ spent: 0, reserved: 0 });
});

test("an order whose task was not found, and is found by a later run, is charged once", async () => {
  const { budget, journal, used, follow } = await createOrder("not found");
  await follow();
  expect(await used()).toEqual({ spent: 10, reserved: 0 });
  const { client } = createWorld(({ path }) => ok(succeeded({ task_id: taskIdIn({ path }) })));
  await client.tasks.run(SONG_REQUEST, { tenant: "acme", budget, journal, journalKey: KEY });
  expect(await used()).toEqual({ spent: 10, reserved: 0 });
});

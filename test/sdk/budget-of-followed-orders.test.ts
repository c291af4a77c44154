import {
  type Budget,
  InvalidResponseError,
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
  /** Follows the journal until both orders have ended, or one if the other is not found, as a relay does. */
  const follow = async (options: { budget?: Budget } = {}) => {
    const stop = new AbortController();
    const ends: unknown[] = [];
    void world.clock.sleep(60_000).then(() => stop.abort("over"));
    try {
      for await (const { key, error } of world.client.tasks.follow(journal, {
        signal: stop.signal,
        ...options,
      }))
        if (key === KEY) ends.push(error);
    } catch (reason) {
      expect(reason).toBe("over");
    }
    return ends;
  };
  return { ...world, journal, budget, used, follow };
}

test("the price of a task whose result is unusable is spent once a follower has delivered its end", async () => {
  for (const hasBudget of [false, true]) {
    const { budget, journal, used, follow } = await createOrder("unusable");
    expect(await used()).toEqual({ spent: 0, reserved: 10 });
    expect(await follow(hasBudget ? { budget } : {})).toEqual([expect.any(InvalidResponseError)]);
    expect(await journal.get(KEY)).toMatchObject({ status: "success", acknowledged: true });
    expect(await used()).toEqual({ spent: 10, reserved: 0 });
    expect(await journal.unacknowledged()).toEqual([]);
  }
});

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

test("the price of a task that is not found stays reserved until the task is found, and is charged once", async () => {
  const { budget, journal, used, follow } = await createOrder("not found");
  expect(await follow()).toEqual([]);
  expect(await used()).toEqual({ spent: 0, reserved: 10 });
  const { client } = createWorld(({ path }) => ok(succeeded({ task_id: taskIdIn({ path }) })));
  await client.tasks.run(SONG_REQUEST, { tenant: "acme", budget, journal, journalKey: KEY });
  expect(await used()).toEqual({ spent: 10, reserved: 0 });
});

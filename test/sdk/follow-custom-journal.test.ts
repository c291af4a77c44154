import {
  type AsyncMusic,
  type FollowedOrder,
  type FollowOptions,
  type Journal,
  JournalError,
  memoryJournal,
  type UnacknowledgedOrder,
} from "async-music";
import { test } from "async-music/emulator/vitest";
import { describe, expect } from "vitest";
import { rejection } from "../support/rejection.js";

const REQUEST = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } } as const;

type List = (orders: readonly UnacknowledgedOrder[]) => unknown;

/** A journal of an application, whose list is malformed or incomplete. */
function journalThat(list: List): Required<Journal> {
  const journal = memoryJournal();
  return {
    ...journal,
    unacknowledged: async (since) => list(await journal.unacknowledged(since)) as UnacknowledgedOrder[],
  };
}

/** Follows a journal for ten minutes, and acknowledges each end `handlingMs` later. */
async function endsOf(
  client: AsyncMusic,
  journal: Journal,
  sleep: (ms: number) => Promise<void>,
  handlingMs: number,
) {
  const stop = new AbortController();
  const ends: FollowedOrder[] = [];
  void sleep(600_000).then(() => stop.abort());
  try {
    for await (const end of client.tasks.follow(journal, { signal: stop.signal })) {
      ends.push(end);
      await sleep(handlingMs);
    }
  } catch (reason) {
    if (!stop.signal.aborted) throw reason;
  }
  return ends;
}

describe("a list that repeats orders", () => {
  const lists: [string, List][] = [
    ["one after the other", (orders) => orders.flatMap((order) => [order, order])],
    ["all again", (orders) => [...orders, ...orders]],
    ["under another tenant", (orders) => [...orders, ...orders.map((order) => ({ ...order, tenant: "a" }))]],
  ];
  for (const handlingMs of [0, 20_000])
    test.for(lists)(
      `%s: each end is delivered once, if it is handled in ${handlingMs} ms`,
      async ([, list], { client, emulator }) => {
        const journal = journalThat(list);
        const keys = ["order-1", "order-2", "order-3"];
        for (const journalKey of keys) await client.tasks.create(REQUEST, { journal, journalKey });
        const ends = await endsOf(client, journal, (ms) => emulator.clock.sleep(ms), handlingMs);
        expect(ends.map(({ key }) => key).sort()).toEqual(keys);
        expect(await journal.unacknowledged()).toEqual([]);
      },
    );
});

describe("a malformed list", () => {
  const malformed = {
    nothing: () => undefined,
    null: () => null,
    "an object": () => ({ rows: [] }),
    "a string": () => "order-1",
    "a list with null": () => [null],
    "a list of keys": () => ["order-1"],
    "a list of entries without a key": () => [{ task_id: "task-1" }],
  };
  const start = (client: AsyncMusic, journal: Journal, options?: FollowOptions) =>
    client.tasks.follow(journal, options)[Symbol.asyncIterator]().next();

  test.for(Object.entries(malformed))("%s is a failure of the journal", async ([, list], { client }) => {
    const error = await rejection(start(client, journalThat(list), { maxFailureMs: 0 }), JournalError);
    expect(error.message).toContain("returned something other than a list of orders");
  });

  test.for(Object.entries(malformed))("%s is read again", async ([, list], { client }) => {
    let isFixed = false;
    const journal = journalThat((orders) => {
      if (isFixed) return orders;
      isFixed = true;
      return list();
    });
    await client.tasks.create(REQUEST, { journal, journalKey: "order-1" });
    expect((await start(client, journal)).value?.key).toBe("order-1");
  });
});

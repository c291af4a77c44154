import {
  type ClientEvents,
  type Journal,
  type JournalError,
  memoryBudget,
  memoryJournal,
  type RunOptions,
  TaskFailedError,
} from "async-music";
import { describe, expect, test } from "vitest";
import { all } from "../support/collect.js";
import { posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  failed,
  ok,
  SONG_REQUEST,
  submission,
  succeeded,
  TASK_ID,
  task,
} from "../support/responses.js";
import { createWorld, type World } from "../support/world.js";

/** What a callback does to the object that it receives. */
const CHANGES: Record<string, (value: object) => void> = {
  deletes: (value) => {
    for (const name of Object.keys(value)) Reflect.deleteProperty(value, name);
  },
  replaces: (value) => {
    for (const name of Object.keys(value)) Reflect.set(value, name, "row-17");
  },
  freezes: (value) => void Object.freeze(value),
};

const EVENTS: Record<keyof ClientEvents, true> = {
  attempt: true,
  response: true,
  wait: true,
  retry: true,
  pause: true,
  task: true,
  admission: true,
  submission: true,
  completion: true,
};

/** A service that creates one task, and whose first read finds it unfinished. */
function oneTask(end: object = succeeded()): World {
  let reads = 0;
  return createWorld(({ method }) => {
    if (method === "POST") return accepted();
    return ok(++reads === 1 ? task() : end);
  });
}

function expectOneTask(world: World) {
  expect(posts(world)).toHaveLength(1);
  const paths = world.requests.slice(1).map(({ path }) => path);
  expect(paths).toEqual([`/api/v1/task/${TASK_ID}`, `/api/v1/task/${TASK_ID}`]);
}

const journaled = (journal: Journal = memoryJournal()) => ({ journal, journalKey: "order-1" });

/** A journal that cannot record a task at the first tries. */
function failingJournal(failures: number): Journal {
  const journal = memoryJournal();
  let left = failures;
  return {
    ...journal,
    put: async (key, entry, previous) => {
      if (entry.state === "submitted" && left-- > 0) throw new Error("The database is down.");
      return journal.put(key, entry, previous);
    },
  };
}

/** A journal that changes each entry once it has written it. */
function changingJournal(change: (value: object) => void): Journal {
  const journal = memoryJournal();
  return {
    ...journal,
    put: async (key, entry, previous) => {
      const isPut = await journal.put(key, entry, previous);
      change(entry.request);
      if (entry.state === "submitted" && entry.submission !== null) change(entry.submission);
      change(entry);
      return isPut;
    },
  };
}

describe.each(Object.entries(CHANGES))("a callback that %s the fields of what it receives", (_, change) => {
  const callbacks = { onSubmitted: change, onUpdate: change };

  const options: Record<string, () => RunOptions> = {
    "no other option": () => ({}),
    "a journal": () => journaled(),
    "a journal that fails for a while": () => journaled(failingJournal(2)),
    "a journal that changes what it writes, too": () => journaled(changingJournal(change)),
    "a budget": () => ({ tenant: "a", budget: memoryBudget({ maxCredits: 10, per: "day" }) }),
  };

  test.each(Object.entries(options))("does not change the result of `run`, with %s", async (_name, own) => {
    const world = oneTask();
    const given = own();
    const result = await world.client.tasks.run(SONG_REQUEST, { ...given, ...callbacks });
    expect(result).toEqual(succeeded());
    expectOneTask(world);
    if (given.journal !== undefined)
      expect(await given.journal.get("order-1")).toMatchObject({
        task_id: TASK_ID,
        status: "success",
        submission: submission(),
      });
  });

  test("does not change the error of `run`", async () => {
    const world = oneTask(failed());
    const error = await rejection(world.client.tasks.run(SONG_REQUEST, callbacks), TaskFailedError);
    expect(error).toMatchObject({ taskId: TASK_ID, task: failed() });
    expectOneTask(world);
  });

  test("does not change the results of `runAll`", async () => {
    const world = oneTask();
    const onProgress = change;
    const results = await all(world.client.tasks.runAll([SONG_REQUEST], { ...callbacks, onProgress }));
    expect(results.map((result) => result.task)).toEqual([succeeded()]);
    expectOneTask(world);
  });

  test("does not change what a budget has settled", async () => {
    const budget = memoryBudget({ maxCredits: 10, per: "day" });
    await oneTask().client.tasks.run(SONG_REQUEST, { tenant: "a", budget, ...callbacks });
    expect(await budget.usage("a")).toMatchObject({ spent: 10, reserved: 0 });
  });

  test("does not change the result of `create`, nor what the journal records", async () => {
    const journal = memoryJournal();
    const { client } = createWorld(() => accepted());
    const created = await client.tasks.create(SONG_REQUEST, { ...journaled(journal), onSubmitted: change });
    expect(created).toEqual(submission());
    expect(await journal.get("order-1")).toMatchObject({ task_id: TASK_ID, submission: submission() });
  });

  test("does not change a run whose task the journal never records", async () => {
    const world = oneTask();
    const run = { ...journaled(failingJournal(1000)), ...callbacks };
    const result = await world.client.tasks.run(SONG_REQUEST, { ...run, onUnrecorded: change });
    expect(result).toEqual(succeeded());
  });

  test("does not replace the error of a run whose task the journal never records", async () => {
    const run = { ...journaled(failingJournal(1000)), ...callbacks };
    const onUnrecorded = (error: JournalError) => change(error);
    const { client } = oneTask(failed());
    const error = await rejection(client.tasks.run(SONG_REQUEST, { ...run, onUnrecorded }), TaskFailedError);
    expect(error).toMatchObject({ taskId: TASK_ID });
  });

  test("does not change the results of `wait` and `watch`", async () => {
    const { client } = oneTask();
    expect(await client.tasks.wait(TASK_ID, { onUpdate: change })).toEqual(succeeded());
    const watched = oneTask().client.tasks.watch(TASK_ID, { onUpdate: change });
    expect(await all(watched)).toEqual([task(), succeeded()]);
  });

  test("does not change the run, nor the events of other listeners", async () => {
    const world = oneTask();
    const seen = new Map<string, object[]>();
    for (const name of Object.keys(EVENTS) as (keyof ClientEvents)[]) {
      world.client.on(name, change);
      world.client.on(name, (event) => void seen.set(name, [...(seen.get(name) ?? []), event]));
    }
    expect(await world.client.tasks.run(SONG_REQUEST)).toEqual(succeeded());
    expectOneTask(world);
    expect(seen.get("submission")).toMatchObject([{ outcome: "created", taskId: TASK_ID }]);
    expect(seen.get("task")).toEqual([{ task: task() }, { task: succeeded() }]);
    for (const event of [...seen.values()].flat()) expect(Object.isFrozen(event)).toBe(false);
  });

  test.each([
    ["a journal", () => memoryJournal()],
    ["a journal that changes what it writes, too", () => changingJournal(change)],
  ])("does not change an acknowledgement of `follow`, with %s", async (_name, createJournal) => {
    const journal = createJournal();
    const world = oneTask(failed());
    await world.client.tasks.create(SONG_REQUEST, journaled(journal));
    const abort = new AbortController();
    const orders = world.client.tasks.follow(journal, { signal: abort.signal })[Symbol.asyncIterator]();
    const { value } = await orders.next();
    change(value.error);
    change(value);
    const next = orders.next();
    await world.clock.sleep(1000);
    abort.abort();
    await next.catch(() => {});
    expect(await journal.get("order-1")).toMatchObject({ status: "failure", acknowledged: true });
  });
});

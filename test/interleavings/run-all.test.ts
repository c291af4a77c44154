import { CreditCeilingError, memoryJournal, TaskFailedError } from "async-music";
import { expect, test } from "vitest";
import { interleave, type Stage } from "../support/interleavings.js";

const lyrics = (prompt: string) => ({ model: "provider_a", task_type: "lyrics", input: { prompt } }) as const;
const PRICE = 5;

/** An asynchronous source that notes how far it was read, and fails if it is read twice at once. */
function sourceOf({ delay }: Stage, items: number) {
  const seen = { read: 0, isReading: false, isReturned: false };
  const source: AsyncIterable<ReturnType<typeof lyrics>> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        if (seen.isReading) throw new Error("The source was read twice at once.");
        seen.isReading = true;
        await delay();
        seen.isReading = false;
        if (seen.read === items) return { done: true, value: undefined };
        return { done: false, value: lyrics(`song ${seen.read++}`) };
      },
      async return() {
        seen.isReturned = true;
        return { done: true, value: undefined };
      },
    }),
  };
  return { source, seen };
}

/** Each task takes its own time, and some fail. */
function varyTasks({ emulator, pick }: Stage, tasks: number) {
  for (let task = 0; task < tasks; task++)
    emulator.providers.provider_a.next({
      outcome: pick("success", "success", "success", "failure" as const),
      queue_seconds: 0,
      process_seconds: pick(0, 1, 30, 120),
    });
}

test("a batch reads its source no further than `concurrency` allows, and yields each request once", () =>
  interleave(async (stage) => {
    const { emulator, client, pick, delay } = stage;
    const items = pick(0, 1, 4, 7);
    varyTasks(stage, items);
    const { source, seen } = sourceOf(stage, items);
    const concurrency = pick(1, 2, 3);
    const ended = new Map<number, string>();
    let most = 0;
    const note = () => {
      most = Math.max(most, seen.read - ended.size);
    };
    const batch = client().tasks.runAll(source, { concurrency, onSubmitted: note });
    for await (const { index, request, task, error } of batch) {
      expect(request).toEqual(lyrics(`song ${index}`));
      expect(ended.has(index)).toBe(false);
      ended.set(index, task?.status ?? "failure");
      note();
      if (task) expect(task.input).toEqual(request.input);
      else expect(error).toBeInstanceOf(TaskFailedError);
      await delay();
      note();
    }
    expect(most).toBeLessThanOrEqual(concurrency);
    expect([...ended.keys()].sort()).toEqual(Array.from({ length: items }, (_, index) => index));
    expect(emulator.state().tasks).toHaveLength(items);
    expect(emulator.audit()).toEqual([]);
  }));

test("a batch that is left, or aborted, submits nothing more and lets go of its source", () =>
  interleave(async (stage) => {
    const { emulator, client, clock, pick, delay, mayAbort } = stage;
    const items = pick(3, 6);
    varyTasks(stage, items);
    const { source, seen } = sourceOf(stage, items);
    const { signal, reason } = mayAbort(60_000);
    const leavesAfter = pick(0, 1, 2, 100);
    const submitted: number[] = [];
    const read: number[] = [];
    const begun: number[] = [];
    const work = async () => {
      const onSubmitted = (_: unknown, index: number) => void submitted.push(index);
      const journalKey = (_: unknown, index: number) => `song-${begun.push(index)}`;
      const options = {
        concurrency: pick(1, 2, 3),
        signal,
        onSubmitted,
        journal: memoryJournal(),
        journalKey,
      };
      const batch = client().tasks.runAll(source, options);
      for await (const { index } of batch) {
        if (read.length === leavesAfter) break;
        read.push(index);
        await delay();
      }
    };
    await work().catch((thrown) => expect(thrown).toBe(reason));
    const begunUntilEnd = begun.length;
    // POSTs in flight are completed.
    await clock.sleep(20_000);
    const tasks = emulator.state().tasks.length;
    expect(submitted).toHaveLength(tasks);
    // An item that the source returns after the end is not begun.
    expect(begun).toHaveLength(begunUntilEnd);
    const requests = emulator.requests.length;
    await clock.sleep(600_000);
    expect([emulator.state().tasks.length, emulator.requests.length]).toEqual([tasks, requests]);
    if (read.length < items) expect(seen.isReturned || seen.read === items).toBe(true);
  }));

test("a batch never has more in credits frozen and settled than `maxCredits`, in whatever order its tasks end", () =>
  interleave(async (stage) => {
    const { emulator, client, pick, delay } = stage;
    const items = 6;
    varyTasks(stage, items);
    const { source } = sourceOf(stage, items);
    const maxCredits = pick(0, 4, 5, 12, 15, 100);
    let most = 0;
    const note = () => {
      const { available } = emulator.state().accounts[0]?.balance ?? { available: 100_000 };
      most = Math.max(most, 100_000 - available);
    };
    let refused = 0;
    const batch = client().tasks.runAll(source, {
      concurrency: pick(1, 2, 4),
      maxCredits,
      onSubmitted: note,
    });
    for await (const { error } of batch) {
      note();
      if (error instanceof CreditCeilingError) refused++;
      await delay();
    }
    expect(most).toBeLessThanOrEqual(maxCredits);
    expect(emulator.state().tasks.length + refused).toBe(items);
    if (maxCredits >= items * PRICE) expect(refused).toBe(0);
  }));

test("batches of two to four processes with the same keys create one task per key", () =>
  interleave(
    async (stage) => {
      const { emulator, client, slowly, actors, pick, delay } = stage;
      const entries = memoryJournal();
      const prompts = ["one", "two", "three"];
      const ids = new Map<string, Set<string>>();
      const ended = await actors(async () => {
        const journal = slowly(entries, ["get", "put", "delete"]);
        const requests = [...prompts, pick(...(["one", "two", "three"] as const))].map(lyrics);
        const options = { journal, journalKey: ({ input }: (typeof requests)[0]) => input.prompt };
        for await (const { request, task, error } of client().tasks.runAll(requests, {
          ...options,
          concurrency: pick(1, 2, 3),
        })) {
          // A run waits two seconds for the process whose POST is in flight.
          if (error !== undefined) expect(String(error)).toContain("the outcome of an earlier run");
          const { prompt } = request.input;
          if (task) ids.set(prompt, (ids.get(prompt) ?? new Set()).add(task.task_id));
          await delay();
        }
      });
      for (const each of ended) if (each.status === "rejected") throw each.reason;
      expect(emulator.state().tasks).toHaveLength(prompts.length);
      for (const tasks of ids.values()) expect(tasks.size).toBe(1);
      expect((await entries.open()).filter(({ state }) => state === "intent")).toEqual([]);
    },
    { runs: 20 },
  ));

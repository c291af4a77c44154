import { getEventListeners } from "node:events";
import { memoryJournal } from "async-music";
import { expect, test } from "vitest";
import { waitForKey } from "../../../src/journal/slot.js";

/** Runs that stand in one line; `order` says whose turn has come, so far. */
function createLine() {
  const journal = memoryJournal();
  const order: string[] = [];
  const enter = (name: string, { key = "song", signal = undefined as AbortSignal | undefined } = {}) =>
    waitForKey(journal, key, signal).then((leave) => {
      order.push(name);
      return leave;
    });
  return { enter, order };
}

/** Lets everybody go on whom nobody holds back. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

test("runs on one key come one after the other, in the order in which they came", async () => {
  const { enter, order } = createLine();
  const runs = ["first", "second", "third"].map((name) => enter(name));
  for (const [index, run] of runs.entries()) {
    await settle();
    expect(order).toHaveLength(index + 1);
    (await run)();
  }
  expect(order).toEqual(["first", "second", "third"]);
});

test("runs on other keys, and in other journals, don't wait", async () => {
  const { enter, order } = createLine();
  const other = createLine();
  void enter("song");
  void enter("another song", { key: "another" });
  void other.enter("song");
  await settle();
  expect(order).toEqual(["song", "another song"]);
  expect(other.order).toEqual(["song"]);
});

test("one that comes when the first has left still waits for the second", async () => {
  const { enter, order } = createLine();
  const first = await enter("first");
  const second = enter("second");
  first();
  await settle();
  void enter("third");
  await settle();
  expect(order).toEqual(["first", "second"]);
  (await second)();
  await settle();
  expect(order).toEqual(["first", "second", "third"]);
});

test("one that gives up in line lets nobody pass the one before it", async () => {
  const { enter, order } = createLine();
  const controller = new AbortController();
  const first = await enter("first");
  const second = enter("second", { signal: controller.signal });
  void enter("third");
  controller.abort("left");
  await expect(second).rejects.toBe("left");
  await settle();
  expect(order).toEqual(["first"]);
  first();
  await settle();
  expect(order).toEqual(["first", "third"]);
});

test("one whose signal is aborted before it comes takes no turn, and holds nobody back", async () => {
  const { enter, order } = createLine();
  await expect(enter("first", { signal: AbortSignal.abort("no") })).rejects.toBe("no");
  await enter("second");
  expect(order).toEqual(["second"]);
});

test("whoever has their turn no longer listens to their signal", async () => {
  const { enter } = createLine();
  const { signal } = new AbortController();
  const first = await enter("first");
  const second = enter("second", { signal });
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  first();
  await second;
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

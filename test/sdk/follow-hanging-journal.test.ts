import { type Journal, memoryJournal } from "async-music";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { held } from "../support/collect.js";
import { SONG_REQUEST, serveAnew } from "../support/responses.js";
import { watchUnhandledRejections } from "../support/unhandled.js";
import { createWorld } from "../support/world.js";

// A follower that is stopped while a database does not respond. Databases have real time limits.

const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

type Method = "unacknowledged" | "get" | "put";

/** A follower of an order, on a database that stops responding to one method once `hang` was called. */
async function createCase(method: Method) {
  const inner = memoryJournal();
  const world = createWorld(serveAnew);
  await world.client.tasks.create(SONG_REQUEST, { journal: inner, journalKey: "order-1" });
  let isHanging = false;
  const { given: reached, give: reach } = held();
  const journal = new Proxy(inner, {
    get(target, name) {
      const own = Reflect.get(target, name);
      if (name !== method) return own;
      return (...given: unknown[]) => {
        if (!isHanging) return Reflect.apply(own, target, given);
        reach();
        return new Promise(() => {});
      };
    },
  }) as Journal;
  const leaving = new AbortController();
  const orders = world.client.tasks.follow(journal, { signal: leaving.signal })[Symbol.asyncIterator]();
  const hang = () => {
    isHanging = true;
  };
  return { orders, leaving, reached, hang };
}

describe.each<Method>(["unacknowledged", "get", "put"])("while `%s` of the journal hangs", (method) => {
  test("an abort ends `follow` within a second", async () => {
    const unhandled = watchUnhandledRejections();
    const { orders, leaving, reached, hang } = await createCase(method);
    hang();
    const ended: unknown[] = [];
    const next = orders.next().catch((reason: unknown) => void ended.push(reason));
    await reached;
    leaving.abort("the page was closed");
    await wait(1000);
    expect(ended).toEqual(["the page was closed"]);
    await next;
    expect(unhandled).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
  });

  test("leaving the loop ends within a second", async () => {
    const { orders, reached, hang } = await createCase(method);
    hang();
    const next = orders.next();
    await reached;
    const left: unknown[] = [];
    void orders.return?.().then(() => left.push("left"));
    await wait(1000);
    expect(left).toEqual(["left"]);
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

test.each(["an abort", "leaving the loop"])("%s ends an acknowledgement that hangs", async (how) => {
  const { orders, leaving, reached, hang } = await createCase("put");
  await orders.next();
  hang();
  const ended: unknown[] = [];
  const next = orders.next().then(
    ({ done }) => ended.push(done),
    (reason: unknown) => ended.push(reason),
  );
  await reached;
  if (how === "an abort") leaving.abort("the page was closed");
  else void orders.return?.();
  await wait(1000);
  expect(ended).toEqual([how === "an abort" ? "the page was closed" : true]);
  await next;
});

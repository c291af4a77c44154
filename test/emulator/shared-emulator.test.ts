import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { describe, expect, test } from "vitest";
import { useEmulator } from "../isolation/tenant.js";
import { BALANCE, serviceOf, VALID } from "./support/service.js";

test("tests that share an emulator see what they see alone, in whatever order they begin", async () => {
  const use = (emulator = createEmulator()) => {
    return (variant: number) => useEmulator(emulator.fetch, emulator.url, variant, async () => {});
  };
  const variants = [0, 1, 2, 3, 4, 5];
  const alone = await Promise.all(variants.map((variant) => use()(variant)));
  for (const order of [variants, variants.toReversed()]) {
    const together = await Promise.all(order.map(use()));
    for (const [index, variant] of order.entries())
      expect(JSON.parse(together[index]?.seen ?? "")).toEqual(JSON.parse(alone[variant]?.seen ?? ""));
  }
});

test("connections with one account's keys do not change another one's random numbers, and none are equal", () => {
  const emulator = createEmulator();
  const [one, other] = [emulator.accounts.create(), emulator.accounts.create()];
  const draw = ({ api_key: apiKey }: { api_key: string }) => emulator.connection({ apiKey }).random();
  const seen = [draw(one), draw(other), draw(one), emulator.connection().random()];
  const again = createEmulator();
  again.accounts.create();
  again.accounts.create();
  expect([draw(other), again.connection().random()]).not.toContain(seen[1]);
  const repeat = ({ api_key: apiKey }: { api_key: string }) => again.connection({ apiKey }).random();
  expect([repeat(other), repeat(one), repeat(one)]).toEqual([seen[1], seen[0], seen[2]]);
  expect(new Set(seen).size).toBe(4);
});

describe("the clock is common to all accounts", () => {
  test("on a port, a virtual clock moves only by `advance` and by delays of requests", async () => {
    await using emulator = createEmulator({ clock: "virtual" });
    await using server = await serve(emulator);
    const { account_id, api_key: apiKey } = emulator.accounts.create();
    const one = serviceOf(emulator, { apiKey, url: server.url, fetch: globalThis.fetch });
    const other = serviceOf(emulator, { url: server.url, fetch: globalThis.fetch });
    const taskId = await other.create(VALID.song, { process_seconds: 60 });
    expect((await other.read(taskId)).status).toBe("running");
    const start = emulator.clock.now();
    await one.balance();
    expect(emulator.clock.now()).toBe(start);

    emulator.faults.add({ account_id, path: BALANCE, fault: { kind: "latency", ms: 60_000 } });
    await one.balance();
    expect(emulator.clock.now()).toBe(start + 60_000);
    expect((await other.read(taskId)).status).toBe("success");
  });

  test("in process, a sleep of one test moves it for all, and a stalled request stops it", async () => {
    const emulator = createEmulator();
    const { account_id, api_key } = emulator.accounts.create({ credits: 10 });
    const [one, other] = [serviceOf(emulator), serviceOf(emulator, { apiKey: api_key })];
    const taskId = await other.create(VALID.song, { process_seconds: 60 });
    await emulator.clock.sleep(60_000);
    expect((await other.read(taskId)).status).toBe("success");

    emulator.faults.add({ account_id, fault: { kind: "stall" } });
    const controller = new AbortController();
    const headers = { "x-api-key": api_key };
    const stalled = emulator.fetch(emulator.url + BALANCE, { headers, signal: controller.signal });
    stalled.catch(() => {});
    await one.balance();
    let isAwake = false;
    const asleep = emulator.clock.sleep(1).then(() => {
      isAwake = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isAwake).toBe(false);
    controller.abort();
    await asleep;
  });
});

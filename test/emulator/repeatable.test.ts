import { createEmulator, type Emulator, type Snapshot } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { coreOf } from "../../emulator/http/service.js";
import { turns } from "../support/test-clock.js";
import { createService, serviceOf, TASK, VALID } from "./support/service.js";

/** Keeps virtual time from skipping until the returned function is called. */
function pauseSkipping(emulator: Emulator): () => void {
  const { clock } = coreOf(emulator);
  clock.pauseSkipping();
  return () => clock.resumeSkipping();
}

/** Some minutes of a service: everything that came back, as text. */
async function live(emulator: Emulator, rounds = 6): Promise<string> {
  const { post, get, read, balance } = serviceOf(emulator);
  const seen: unknown[] = [];
  const ids: string[] = [];
  emulator.faults.add({
    method: "GET",
    probability: 0.2,
    fault: { kind: "status", status: 500, when: "after" },
  });
  for (let round = 0; round < rounds; round++) {
    for (const body of [VALID.song, VALID.lyrics, VALID.providerB]) {
      const { body: answer, headers } = await post(body);
      seen.push(answer, [...headers]);
      ids.push(answer.data.task_id);
    }
    await emulator.clock.advance(17_000);
    for (const id of ids) seen.push(await read(id));
    seen.push(await balance(), (await get("/nowhere")).body, emulator.connection().random());
  }
  return JSON.stringify([seen, emulator.requests, emulator.audit()]);
}

describe("the same seed", () => {
  test("gives each task its times, whoever reads what in which order", async () => {
    const ends = [];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 1, 0, 2, 0],
    ]) {
      const { create, read, emulator } = createService();
      const ids = [await create(), await create(), await create()];
      for (const index of order) await read(ids[index] ?? "");
      await emulator.clock.advance(300_000);
      const tasks = [];
      for (const id of ids) tasks.push(await read(id));
      ends.push(tasks);
    }
    expect(ends[1]).toEqual(ends[0]);
    expect(ends[2]).toEqual(ends[0]);
  });
});

describe("a snapshot", () => {
  test("goes on, after a way through JSON, exactly as the emulator would have", async () => {
    const emulator = createEmulator({ seed: 3 });
    await live(emulator, 2);
    const text = JSON.stringify(emulator.snapshot());
    const expected = await live(emulator);

    const created = createEmulator({ snapshot: JSON.parse(text) });
    expect(JSON.stringify(created.snapshot())).toBe(text);
    expect(await live(created)).toBe(expected);

    const restored = createEmulator({ seed: 99, credits: 1 });
    await live(restored, 1).catch(() => {});
    restored.restore(JSON.parse(text));
    expect(restored.apiKey).toBe(emulator.apiKey);
    expect(await live(restored)).toBe(expected);
  });

  test("can be used again and again, and is not touched", async () => {
    const emulator = createEmulator();
    const snapshot = emulator.snapshot();
    const first = await live(emulator);
    emulator.restore(snapshot);
    expect(await live(emulator)).toBe(first);
    emulator.restore(snapshot);
    expect(emulator.requests).toEqual([]);
  });
});

test("a fork goes on from here, and neither side sees what the other does", async () => {
  const service = createService({ credits: 100 });
  const taskId = await service.create(VALID.song, { process_seconds: 40 });
  const fork = service.emulator.fork();
  const forked = serviceOf(fork);

  await fork.clock.advance(40_000);
  expect((await forked.read(taskId)).status).toBe("success");
  expect((await service.read(taskId)).status).toBe("running");
  await service.create();
  expect((await forked.balance()).total).toBe(90);
  expect((await service.balance()).total).toBe(100);
  expect(fork.clock.now() - service.emulator.clock.now()).toBe(40_000);
});

describe("a reset", () => {
  test("makes everything new but the key", async () => {
    const { emulator, create, get, balance } = createService({ credits: 100, apiKey: "emu_mine" });
    const taskId = await create();
    await emulator.clock.advance(5_000);
    emulator.accounts.create({ credits: 5 });
    emulator.providers.provider_a.always({ outcome: "hang" });
    emulator.faults.add({ path: "/never", fault: { kind: "stall" } });
    const { account_id: accountId, api_key: apiKey } = emulator.reset();
    expect([accountId, apiKey]).toEqual([emulator.accountId, "emu_mine"]);
    expect(emulator.requests).toEqual([]);
    expect((await get(`${TASK}/${taskId}`)).status).toBe(404);
    expect(await balance()).toEqual({ available: 100, frozen: 0, total: 100 });
    expect(emulator.accounts.list()).toHaveLength(1);
    expect(emulator.clock.now()).toBe(Date.UTC(2026, 0, 1));
  });

  test("takes other beginnings, and repeats what the same ones gave", async () => {
    const emulator = createEmulator({ seed: 5, credits: 500 });
    const first = await live(emulator);
    emulator.reset({ seed: 6, credits: 1, policy: { audio_conversion: "off" }, limits: { requests: 3 } });
    expect(emulator.accounts.get(emulator.accountId).balance.total).toBe(1);
    expect(emulator.policy.audio_conversion).toBe("off");
    expect(emulator.limits.requests).toBe(3);
    const { apiKey } = emulator;
    emulator.reset();
    expect(emulator.apiKey).toBe(apiKey);
    expect(await live(emulator)).toBe(first);
  });

  test("takes what is `undefined` as not given, and so from the creation", () => {
    const emulator = createEmulator({
      seed: 5,
      credits: 500,
      policy: { late_success: "success" },
      limits: { requests: 30 },
    });
    const created = emulator.snapshot();
    emulator.reset({ seed: undefined, credits: undefined, policy: undefined, limits: undefined });
    expect(emulator.snapshot()).toEqual(created);
  });

  test.each([
    ["a reset", (emulator: Emulator) => emulator.reset()],
    ["a snapshot", (emulator: Emulator) => emulator.restore(createEmulator().snapshot())],
  ])("knows nothing of what was under way before: %s", async (_, replace) => {
    const { emulator, post, balance } = createService();
    emulator.faults.add({ fault: { kind: "latency", ms: 5_000 } });
    const goOn = pauseSkipping(emulator);
    const underWay = expect(post(VALID.song)).rejects.toThrow(TypeError);
    await turns(5);
    replace(emulator);
    goOn();
    await underWay;
    expect(emulator.requests).toEqual([]);
    expect(await balance()).toEqual({ available: 1000, frozen: 0, total: 1000 });
    expect(emulator.clock.now()).toBe(Date.UTC(2026, 0, 1));
  });

  test.each([
    ["could give up", { signal: new AbortController().signal }],
    ["can't give up", {}],
  ])("ends what stalls, so that time passes again, also for who %s", async (_, init) => {
    const { emulator } = createService();
    emulator.faults.add({ fault: { kind: "stall" } });
    const stalled = expect(emulator.fetch(`${emulator.url}/`, init)).rejects.toThrow(TypeError);
    await new Promise((resolve) => setImmediate(resolve));
    emulator.reset();
    await stalled;
    await emulator.clock.sleep(1_000);
    expect(emulator.clock.now()).toBe(Date.UTC(2026, 0, 1) + 1_000);
  });

  test("has the audit forget who has left what was under way before", async () => {
    const { emulator, send, post } = createService();
    emulator.faults.add({ fault: { kind: "latency", ms: 5_000 } });
    const caller = new AbortController();
    const goOn = pauseSkipping(emulator);
    const left = send(TASK, {
      method: "POST",
      headers: { "x-api-key": emulator.apiKey, "Content-Type": "application/json" },
      body: JSON.stringify(VALID.song),
      signal: caller.signal,
    });
    await turns(5);
    caller.abort();
    await expect(left).rejects.toThrow("aborted");
    emulator.reset();
    goOn();
    await post(VALID.song);
    expect(emulator.audit()).toEqual([]);
  });
});

describe("when", () => {
  test("resolves with the task at the read that finds the status", async () => {
    const { emulator, create, read } = createService();
    const taskId = await create(VALID.song, { polls: 2 });
    const running = emulator.when(taskId, "running");
    const success = emulator.when(taskId, "success");
    await read(taskId);
    expect((await running).status).toBe("running");
    await read(taskId);
    expect((await success).output?.result).toHaveLength(2);
    expect((await emulator.when(taskId, "success")).task_id).toBe(taskId);
  });

  test("rejects at any other end, and for what there is not", async () => {
    const { emulator, create, read } = createService();
    const taskId = await create(VALID.song, { outcome: "failure", polls: 1 });
    const success = emulator.when(taskId, "success");
    const rejected = expect(success).rejects.toThrow("ended in `failure`");
    await read(taskId);
    await rejected;
    await expect(emulator.when(taskId, "pending")).rejects.toThrow("`failure`");
    await expect(emulator.when("none", "success")).rejects.toThrow(RangeError);
  });

  test("looks at the task, and so finds the hour that is over", async () => {
    const { emulator, create } = createService();
    const ids = [await create(VALID.song, { outcome: "hang" }), await create(VALID.song)] as const;
    await emulator.clock.advance(3_600_001);
    expect((await emulator.when(ids[0], "timeout")).error_code).toBe("upstream_provider_error");
    await expect(emulator.when(ids[1], "success")).rejects.toThrow("ended in `timeout`");
  });
});

describe("when, for a task of a state that is replaced", () => {
  test.each<[string, (emulator: Emulator, earlier: Snapshot) => void]>([
    ["a reset", (emulator) => emulator.reset()],
    ["the restoring of a snapshot", (emulator, earlier) => emulator.restore(earlier)],
    ["the restoring of a snapshot that has the task", (emulator) => emulator.restore(emulator.snapshot())],
  ])("rejects at %s", async (_, replace) => {
    const { emulator, create, read } = createService();
    const earlier = emulator.snapshot();
    const taskId = await create(VALID.song, { polls: 1 });
    const statuses = ["running", "success", "timeout"] as const;
    const ended: string[] = [];
    for (const status of statuses)
      emulator.when(taskId, status).catch((error: Error) => ended.push(error.message));
    replace(emulator, earlier);
    await turns(5);
    const replaced = /^Stopped waiting for `\w+`\. (The emulator was reset|A snapshot was restored)\./;
    expect(ended).toEqual(statuses.map(() => expect.stringMatching(replaced)));
    await read(taskId);
  });
});

test("an emulator that was disposed of answers as nobody does, also to what is under way", async () => {
  const { emulator, balance } = createService();
  emulator.faults.add({ fault: { kind: "stall" } });
  emulator.faults.add({ fault: { kind: "latency", ms: 60_000 } });
  const underWay = [balance(), balance()].map((each) => expect(each).rejects.toThrow(TypeError));
  {
    await using disposed = emulator;
    expect(disposed.url).toBe(emulator.url);
  }
  await Promise.all(underWay);
  await expect(balance()).rejects.toThrow(TypeError);
});

test("an emulator that was disposed of has no status to wait for", async () => {
  const { emulator, create } = createService();
  const taskId = await create();
  const waiting = expect(emulator.when(taskId, "success")).rejects.toThrow("The emulator was disposed");
  await emulator[Symbol.asyncDispose]();
  await waiting;
  await expect(emulator.when(taskId, "success")).rejects.toThrow("The emulator was disposed");
});

test("who asks provider_b again with a seed of their own gets the same song, from whichever emulator", async () => {
  const song = async (emulatorSeed: number, seed: number) => {
    const { create, read } = createService({ seed: emulatorSeed });
    const asked = { model: "provider_b", task_type: "music", input: { prompt: "slow fado", seed } };
    const { title, metadata } = (await read(await create(asked, { polls: 1 }))).output.result[0];
    return JSON.stringify([title, metadata.duration]);
  };
  const [first, again, other] = [await song(1, 35), await song(2, 35), await song(1, 36)];
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

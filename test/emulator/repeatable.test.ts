import { AsyncMusic } from "async-music";
import { createEmulator, type Emulator, type Snapshot } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { coreOf } from "../../emulator/http/service.js";
import { failWith } from "../support/faults.js";
import { turns } from "../support/test-clock.js";
import { createService, postOf, serviceOf, TASK, VALID } from "./support/service.js";

const START = Date.UTC(2026, 0, 1);

/** Keeps virtual time from skipping until the returned function is called. */
function pauseSkipping(emulator: Emulator): () => void {
  const { clock } = coreOf(emulator);
  clock.pauseSkipping();
  return () => clock.resumeSkipping();
}

/** Uses a service for some minutes, and returns all its responses as text. */
async function use(emulator: Emulator, rounds = 6): Promise<string> {
  const { post, get, read, balance, advance, fault } = serviceOf(emulator);
  const seen: unknown[] = [];
  const ids: string[] = [];
  fault(failWith(500, "after"), { method: "GET", probability: 0.2 });
  for (let round = 0; round < rounds; round++) {
    for (const request of [VALID.song, VALID.lyrics, VALID.providerB]) {
      const { body, headers } = await post(request);
      seen.push(body, [...headers]);
      ids.push(body.data.task_id);
    }
    await advance(17_000);
    for (const id of ids) seen.push(await read(id));
    seen.push(await balance(), (await get("/nowhere")).body, emulator.connection().random());
  }
  return JSON.stringify([seen, emulator.requests, emulator.audit()]);
}

test("the same seed gives each task the same times, in whatever order tasks are read", async () => {
  const tasksReadIn = async (order: number[]) => {
    const { create, read, advance } = createService();
    const ids = [await create(), await create(), await create()];
    for (const index of order) await read(ids[index] ?? "");
    await advance(300_000);
    return Promise.all(ids.map((id) => read(id)));
  };
  const expected = await tasksReadIn([0, 1, 2]);
  for (const order of [
    [2, 1, 0],
    [1, 1, 0, 2, 0],
  ])
    expect(await tasksReadIn(order)).toEqual(expected);
});

test("with the same `seed` in its input, provider_b makes the same song in every emulator", async () => {
  const song = async (emulatorSeed: number, seed: number) => {
    const { create, read } = createService({ seed: emulatorSeed });
    const request = { ...VALID.providerB, input: { prompt: "slow fado", seed } };
    const { title, metadata } = (await read(await create(request, { polls: 1 }))).output.result[0];
    return JSON.stringify([title, metadata.duration]);
  };
  const [first, again, other] = [await song(1, 35), await song(2, 35), await song(1, 36)];
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

describe("a snapshot", () => {
  test("continues exactly as the emulator would have, also after JSON", async () => {
    const emulator = createEmulator({ seed: 3 });
    await use(emulator, 2);
    const text = JSON.stringify(emulator.snapshot());
    const expected = await use(emulator);

    const created = createEmulator({ snapshot: JSON.parse(text) });
    expect(JSON.stringify(created.snapshot())).toBe(text);
    expect(await use(created)).toBe(expected);

    const restored = createEmulator({ seed: 99, credits: 1 });
    await use(restored, 1).catch(() => {});
    restored.restore(JSON.parse(text));
    expect(restored.apiKey).toBe(emulator.apiKey);
    expect(await use(restored)).toBe(expected);
  });

  test("can be restored many times, since it does not change", async () => {
    const emulator = createEmulator();
    const snapshot = emulator.snapshot();
    const first = await use(emulator);
    emulator.restore(snapshot);
    expect(await use(emulator)).toBe(first);
    emulator.restore(snapshot);
    expect(emulator.requests).toEqual([]);
  });
});

test("a fork continues from the present state, and the two do not affect each other", async () => {
  const service = createService({ credits: 100 });
  const taskId = await service.create(VALID.song, { process_seconds: 40 });
  const fork = serviceOf(service.emulator.fork());
  await fork.advance(40_000);
  expect((await fork.read(taskId)).status).toBe("success");
  expect((await service.read(taskId)).status).toBe("running");
  await service.create();
  expect((await fork.balance()).total).toBe(90);
  expect((await service.balance()).total).toBe(100);
  expect(fork.emulator.clock.now() - service.emulator.clock.now()).toBe(40_000);
});

describe("hundreds of requests that run side by side come in the same order after a reset, and after a restore", () => {
  /** Each returns the order of what happened. */
  const WORK: Readonly<Record<string, (emulator: Emulator) => Promise<unknown[]>>> = {
    "clients that sleep": async (emulator) => {
      const client = new AsyncMusic(emulator.connection());
      await Promise.all(Array.from({ length: 40 }, () => client.tasks.run(VALID.song)));
      return emulator.requests.map(({ method, path, at }) => [method, path, at]);
    },
    "clients that never sleep": async (emulator) => {
      const { create } = serviceOf(emulator);
      const created: [number, string][] = [];
      const createMany = async (client: number) => {
        for (let posts = 0; posts < 50; posts++) created.push([client, await create()]);
      };
      await Promise.all([1, 2, 3, 4, 5, 6, 7].map(createMany));
      return created;
    },
  };

  test.each(Object.entries(WORK))("%s", async (_, work) => {
    const { emulator, balance } = createService({ seed: 3, credits: 10_000 });
    for (let reads = 0; reads < 130; reads++) await balance();
    emulator.reset();
    const begun = emulator.snapshot();
    const first = await work(emulator);
    expect(first.length).toBeGreaterThan(300);
    emulator.reset();
    expect(await work(emulator)).toEqual(first);
    emulator.restore(begun);
    expect(await work(emulator)).toEqual(first);
  });
});

describe("a reset", () => {
  test("replaces everything but the API key", async () => {
    const { emulator, create, get, balance, advance } = createService({ credits: 100, apiKey: "emu_mine" });
    const taskId = await create();
    await advance(5_000);
    emulator.accounts.create({ credits: 5 });
    emulator.providers.provider_a.always({ outcome: "hang" });
    emulator.faults.add({ path: "/never", fault: { kind: "stall" } });
    const { account_id: accountId, api_key: apiKey } = emulator.reset();
    expect([accountId, apiKey]).toEqual([emulator.accountId, "emu_mine"]);
    expect(emulator.requests).toEqual([]);
    expect((await get(`${TASK}/${taskId}`)).status).toBe(404);
    expect(await balance()).toEqual({ available: 100, frozen: 0, total: 100 });
    expect(emulator.accounts.list()).toHaveLength(1);
    expect(emulator.clock.now()).toBe(START);
  });

  test("takes other options, and repeats the first run without them", async () => {
    const emulator = createEmulator({ seed: 5, credits: 500 });
    const first = await use(emulator);
    emulator.reset({ seed: 6, credits: 1, policy: { audio_conversion: "off" }, limits: { requests: 3 } });
    expect(emulator.accounts.get(emulator.accountId).balance.total).toBe(1);
    expect(emulator.policy.audio_conversion).toBe("off");
    expect(emulator.limits.requests).toBe(3);
    const { apiKey } = emulator;
    emulator.reset();
    expect(emulator.apiKey).toBe(apiKey);
    expect(await use(emulator)).toBe(first);
  });

  test("takes an option that is `undefined` from the creation", () => {
    const policy = { late_success: "success" } as const;
    const emulator = createEmulator({ seed: 5, credits: 500, policy, limits: { requests: 30 } });
    const created = emulator.snapshot();
    emulator.reset({ seed: undefined, credits: undefined, policy: undefined, limits: undefined });
    expect(emulator.snapshot()).toEqual(created);
  });

  test("of an emulator from a snapshot begins anew with the other options, and `restore` returns to the snapshot", async () => {
    const first = createService({ seed: 5, credits: 77 });
    await first.create();
    const snapshot = first.emulator.snapshot();
    const policy = { late_success: "success" } as const;
    const emulator = createEmulator({
      snapshot,
      seed: 6,
      future: 3,
      credits: 9,
      policy,
      limits: { requests: 3 },
    });
    expect(emulator.snapshot()).toEqual(snapshot);
    emulator.reset();
    const { apiKey } = emulator;
    const options = { seed: 6, future: 3, credits: 9, policy, limits: { requests: 3 }, apiKey };
    expect(emulator.snapshot()).toEqual(createEmulator(options).snapshot());
    emulator.restore(snapshot);
    expect(emulator.snapshot()).toEqual(snapshot);
  });

  test.each([
    ["a reset", (emulator: Emulator) => emulator.reset()],
    ["a restored snapshot", (emulator: Emulator) => emulator.restore(createEmulator().snapshot())],
  ])("rejects requests in flight, without a trace: %s", async (_, replace) => {
    const { emulator, post, balance, fault } = createService();
    fault({ kind: "latency", ms: 5_000 });
    const resume = pauseSkipping(emulator);
    const inFlight = expect(post(VALID.song)).rejects.toThrow(TypeError);
    await turns(5);
    replace(emulator);
    resume();
    await inFlight;
    expect(emulator.requests).toEqual([]);
    expect(await balance()).toEqual({ available: 1000, frozen: 0, total: 1000 });
    expect(emulator.clock.now()).toBe(START);
  });

  test.each([
    ["with", { signal: new AbortController().signal }],
    ["without", {}],
  ])("ends a stalled request %s a signal, so that time passes again", async (_, init) => {
    const { emulator, fault } = createService();
    fault({ kind: "stall" });
    const stalled = expect(emulator.fetch(`${emulator.url}/`, init)).rejects.toThrow(TypeError);
    await new Promise((resolve) => setImmediate(resolve));
    emulator.reset();
    await stalled;
    await emulator.clock.sleep(1_000);
    expect(emulator.clock.now()).toBe(START + 1_000);
  });

  test("removes requests that were aborted before it from the audit", async () => {
    const service = createService();
    const { emulator, send, post, fault, findings } = service;
    fault({ kind: "latency", ms: 5_000 });
    const caller = new AbortController();
    const resume = pauseSkipping(emulator);
    const aborted = send(TASK, postOf(service, VALID.song, { signal: caller.signal }));
    await turns(5);
    caller.abort();
    await expect(aborted).rejects.toThrow("aborted");
    emulator.reset();
    resume();
    await post(VALID.song);
    expect(findings()).toEqual([]);
  });
});

describe("`when`", () => {
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

  test("rejects when the task ends otherwise, and for an unknown task", async () => {
    const { emulator, create, read } = createService();
    const taskId = await create(VALID.song, { outcome: "failure", polls: 1 });
    const rejected = expect(emulator.when(taskId, "success")).rejects.toThrow("ended in `failure`");
    await read(taskId);
    await rejected;
    await expect(emulator.when(taskId, "pending")).rejects.toThrow("`failure`");
    await expect(emulator.when("none", "success")).rejects.toThrow(RangeError);
  });

  test("rejects at once for an unknown status", async () => {
    const { emulator, create } = createService();
    const taskId = await create();
    await expect(emulator.when(taskId, "succes" as "success")).rejects.toThrow(
      "`status` must be one of pending, running, success, failure, timeout; got `succes`.",
    );
  });

  test("applies the task timeout first", async () => {
    const { emulator, create, advance } = createService();
    const ids = [await create(VALID.song, { outcome: "hang" }), await create(VALID.song)] as const;
    await advance(3_600_001);
    expect((await emulator.when(ids[0], "timeout")).error_code).toBe("upstream_provider_error");
    await expect(emulator.when(ids[1], "success")).rejects.toThrow("ended in `timeout`");
  });

  test.each<[string, (emulator: Emulator, earlier: Snapshot) => void]>([
    ["a reset", (emulator) => emulator.reset()],
    ["a restored snapshot", (emulator, earlier) => emulator.restore(earlier)],
    ["a restored snapshot that contains the task", (emulator) => emulator.restore(emulator.snapshot())],
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

test("a disposed emulator rejects requests, those in flight, and `when`", async () => {
  const { emulator, balance, create, fault } = createService();
  const taskId = await create();
  fault({ kind: "stall" });
  fault({ kind: "latency", ms: 60_000 });
  const inFlight = [balance(), balance()].map((each) => expect(each).rejects.toThrow(TypeError));
  const waiting = expect(emulator.when(taskId, "success")).rejects.toThrow("The emulator was disposed");
  {
    await using disposed = emulator;
    expect(disposed.url).toBe(emulator.url);
  }
  await Promise.all([...inFlight, waiting]);
  await expect(balance()).rejects.toThrow(TypeError);
  await expect(emulator.when(taskId, "success")).rejects.toThrow("The emulator was disposed");
});

test("a call that the test did not await until the emulator was disposed rejects with this reason", async () => {
  for (const later of [0, 1, 5]) {
    const emulator = createEmulator();
    const song = new AsyncMusic(emulator.connection()).tasks.run(VALID.song);
    const ended = song.catch((error: unknown) => chainOf(error));
    await turns(later);
    await emulator[Symbol.asyncDispose]();
    const messages = await ended;
    expect(messages).toContain(
      "The emulator was disposed, for example at the end of its test. Await all calls",
    );
    expect(messages).not.toContain("custom");
  }
});

/** The messages of an error and of its causes. */
function chainOf(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${chainOf(error.cause)}` : "";
}

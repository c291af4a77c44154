import { AsyncMusic, TaskFailedError, WaitTimeoutError } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { CHANGES } from "../../emulator/future/changes.js";
import { coreOf } from "../../emulator/http/service.js";
import { SONG_REQUEST } from "../support/responses.js";

/** An emulator whose future has the change, among others. */
function emulatorWith(name: string): Emulator {
  for (let future = 1; ; future++) {
    const emulator = createEmulator({ future });
    if (emulator.future.some((change) => change.name === name)) return emulator;
  }
}

test("without a future, nothing is different", () => {
  expect(createEmulator().future).toEqual([]);
});

test("a seed always gives the same changes, and every change comes up", () => {
  const seeds = Array.from({ length: 100 }, (_, seed) => seed);
  const drawn = seeds.map((future) => createEmulator({ future }).future);
  expect(seeds.map((future) => createEmulator({ future }).future)).toEqual(drawn);
  const names = new Set(drawn.flatMap((changes) => changes.map(({ name }) => name)));
  expect([...names].sort()).toEqual(Object.keys(CHANGES).sort());
});

test.each(["-1.5", 0.5, null])("a future of %j is refused", (future) => {
  expect(() => createEmulator({ future: future as never })).toThrow(RangeError);
});

test.each(Object.keys(CHANGES))("%s changes what a client reads, or what providers do", async (name) => {
  const read = async (emulator: Emulator) => {
    const { apiKey, fetch, url, clock } = emulator;
    const seen: unknown[] = [];
    const send = async (path: string, init?: RequestInit, key = apiKey) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        ...init,
        headers: { "x-api-key": key, "content-type": "application/json" },
      });
      const headers = [...response.headers].filter(([header]) => header !== "x-request-id");
      const body = await response.json();
      seen.push(headers, body);
      return body.data ?? {};
    };
    const create = async (request: object) => {
      const init = { method: "POST", body: JSON.stringify(request) };
      const { task_id } = await send("/task", init);
      await send(`/task/${task_id}`);
      for (const seconds of [20, 3500]) {
        await clock.advance(seconds * 1000);
        const { output } = await send(`/task/${task_id}`);
        const [clip] = output?.result ?? [];
        if (clip !== undefined) seen.push((await fetch(clip.audio_url)).headers.get("content-type"));
      }
    };
    await create(SONG_REQUEST);
    await create({ ...SONG_REQUEST, model: "provider_b", input: { prompt: "folk" } });
    emulator.providers.provider_a.next({ outcome: "failure" });
    await create(SONG_REQUEST);
    await send("/task", { method: "POST", body: "{}" });
    await send("/account/balance");
    await send("/account/balance", {}, "another key");
    return seen;
  };
  const emulator = emulatorWith(name);
  const { future: _, ...today } = Object(emulator.snapshot().state);
  const snapshot = { ...emulator.snapshot(), state: today };
  // The other changes of the seed must not decide.
  const { future } = coreOf(emulator);
  Object.assign(Object(future), { changes: future?.changes.filter((change) => change.name === name) });
  expect(await read(emulator)).not.toEqual(await read(createEmulator({ snapshot })));
});

describe("a later version of the service", () => {
  test("stays in a snapshot and after a reset, and ends with a reset to another one", async () => {
    const emulator = createEmulator({ future: 3 });
    const { future } = emulator;
    expect(createEmulator({ snapshot: emulator.snapshot() }).future).toEqual(future);
    emulator.reset();
    expect(emulator.future).toEqual(future);
    emulator.reset({ future: 4 });
    expect(emulator.future).toEqual(createEmulator({ future: 4 }).future);
  });

  test("is listed by the control plane", async () => {
    const emulator = createEmulator({ future: 3 });
    const response = await emulator.fetch(`${emulator.url}/_emulator/future`);
    expect(await response.json()).toEqual({ changes: emulator.future });
  });

  test("sends bodies with the length that it states", async () => {
    const emulator = emulatorWith("error_prose");
    const response = await emulator.fetch(`${emulator.url}/api/v1/account/balance`);
    const length = Number(response.headers.get("content-length"));
    expect(new TextEncoder().encode(await response.text()).length).toBe(length);
  });

  test("keeps today's words where the emulator shows its state", async () => {
    const emulator = emulatorWith("running_status");
    const { task_id } = await new AsyncMusic(emulator.connection()).tasks.create(SONG_REQUEST);
    expect(emulator.state().tasks.map(({ status }) => status)).toEqual(["pending"]);
    expect((await emulator.when(task_id, "pending")).status).toBe("pending");
  });

  test("lets a script decide on a task", async () => {
    const emulator = emulatorWith("durations");
    emulator.providers.provider_a.next({ outcome: "failure", process_seconds: 1 });
    await expect(new AsyncMusic(emulator.connection()).tasks.run(SONG_REQUEST)).rejects.toThrow(
      TaskFailedError,
    );
  });
});

test("a wait for a task with an unknown last status ends, and says which status it saw", async () => {
  const emulator = emulatorWith("final_status");
  emulator.providers.provider_a.next({ outcome: "failure" });
  const error = await new AsyncMusic(emulator.connection()).tasks
    .run(SONG_REQUEST)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WaitTimeoutError);
  expect(error).toMatchObject({
    message: expect.stringMatching(/its last status is (rejected|cancelled)\./),
  });
});

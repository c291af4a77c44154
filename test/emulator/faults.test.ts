import { readFileSync } from "node:fs";
import { AsyncMusic, AsyncMusicError } from "async-music";
import { createEmulator, type Fault } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { failWith } from "../support/faults.js";
import {
  BALANCE,
  createControlled,
  createService,
  postOf,
  type Service,
  serviceOf,
  TASK,
  USAGE,
  VALID,
} from "./support/service.js";

describe("before and after the request is carried out", () => {
  test.each(["fixed", "sliding"] as const)("a fault before shows the rest of a %s window", async (window) => {
    const policy = { rate_limit_window: window };
    const { get, send, fault, advance } = createService({ limits: { requests: 2 }, policy });
    const remaining = async (response = get(BALANCE)) =>
      (await response).headers.get("X-RateLimit-Remaining");
    const remainingByFault = () => {
      fault(failWith(503));
      return remaining();
    };
    expect(await remainingByFault()).toBe("2");
    expect(await remaining()).toBe("1");
    expect(await remainingByFault()).toBe("1");
    await get(BALANCE);
    expect(await remainingByFault()).toBe("0");
    await advance(60_000);
    expect(await remainingByFault()).toBe("2");
    fault(failWith(503));
    expect(await remaining(send(BALANCE))).toBeNull();
  });

  /** The rows of the guide's table: kind, `when`, and whether the request is carried out and counts. */
  const ROWS = [
    ...readFileSync("docs/simulate-failures.md", "utf8").matchAll(
      /^\| `"(\w+)"` \| (?:`"(\w+)"`)? ?\|.*\| (yes|no)[^|]* \| (yes|no)[^|]* \|$/gm,
    ),
  ].map(([, kind = "", when = "", carriedOut = "", counts = ""]) => ({ kind, when, carriedOut, counts }));
  const MORE: Record<string, object> = { status: { status: 503 }, latency: { ms: 1_000 } };

  test("the guide has a row for every kind of fault, before and after", () => {
    const rows = ROWS.map(({ kind, when }) => `${kind} ${when}`.trim()).sort();
    const both = ["disconnect", "status"].flatMap((kind) => [`${kind} after`, `${kind} before`]);
    expect(rows).toEqual([...both, "latency", "malformed", "stall"].sort());
  });

  test.each(ROWS.filter(({ when }) => when === "before"))("$kind requires `when`", async ({ kind }) => {
    const { emulator, control } = createControlled();
    const fault = Object({ kind, ...MORE[kind] });
    expect(() => emulator.faults.add({ fault })).toThrow(/when.* be before or after/);
    expect((await control("POST", "/faults", { fault })).status).toBe(400);
    expect(emulator.faults.list()).toEqual([]);
  });

  describe.each(ROWS)("$kind $when", ({ kind, when, carriedOut, counts }) => {
    const fault = Object({ kind, ...(when !== "" && { when }), ...MORE[kind] });
    const open = (requests: number) => {
      const service = createService({ credits: 100, limits: { requests } });
      service.fault(fault, { path: TASK });
      return service;
    };
    /** Sends a song, and ends it if it gets no response. */
    const sendSong = async ({ emulator, send }: Service, apiKey = emulator.apiKey) => {
      const init = postOf({ emulator: { ...emulator, apiKey } }, VALID.song);
      const lastsMs = kind === "stall" ? 100 : 60_000;
      await send(TASK, { ...init, signal: AbortSignal.timeout(lastsMs) }).catch(() => {});
    };

    test(`the request is carried out: ${carriedOut}; it counts: ${counts}`, async () => {
      const service = open(10);
      await sendSong(service);
      expect(service.emulator.state().tasks).toHaveLength(carriedOut === "yes" ? 1 : 0);
      const { headers } = await service.get(BALANCE);
      expect(headers.get("X-RateLimit-Remaining")).toBe(counts === "yes" ? "8" : "9");
    });

    test("in a full window the request has no effect", async () => {
      const service = open(1);
      await service.get(BALANCE);
      await sendSong(service);
      expect(service.emulator.state().tasks).toEqual([]);
      expect(service.emulator.faults.list()).toEqual([]);
    });

    test("with a wrong key the request has no effect, and counts against no window", async () => {
      const service = open(10);
      await sendSong(service, "emu_wrong");
      expect(service.emulator.state().tasks).toEqual([]);
      expect((await service.get(BALANCE)).headers.get("X-RateLimit-Remaining")).toBe("9");
    });
  });

  test("a status before is sent in a full window, and to a wrong key", async () => {
    const { get, emulator } = createService({ limits: { requests: 1 } });
    await get(BALANCE);
    emulator.faults.add({ path: BALANCE, times: 2, fault: failWith(503) });
    expect((await get(BALANCE)).status).toBe(503);
    expect((await get(BALANCE, { "x-api-key": "emu_wrong" })).status).toBe(503);
    expect((await get(BALANCE)).status).toBe(429);
  });

  test.each(["before", "after"] as const)("a response %s has no body for HEAD", async (when) => {
    const { send, fault } = createService();
    fault(failWith(503, when));
    const { status, body, headers } = await send("/", { method: "HEAD" });
    expect([status, body]).toEqual([503, ""]);
    expect(Number(headers.get("Content-Length"))).toBeGreaterThan(0);
  });
});

test.each([
  [302, undefined],
  [404, "task_not_found"],
  [418, "invalid_request_body"],
  [503, "internal_error"],
])("a status of %i without an error code has %s", async (status, errorCode) => {
  const { get, fault } = createService();
  fault(failWith(status));
  const { body, headers } = await get(BALANCE, { "X-Request-Id": "mine" });
  expect(body).toEqual({ code: status, error_code: errorCode, message: expect.any(String) });
  expect([headers.get("X-Request-Id"), headers.get("Retry-After")]).toEqual(["mine", null]);
});

test.each([
  [{}, 1],
  [{ retry_after_seconds: 0 }, 0],
  [{ retry_after_seconds: 7 }, 7],
])("a 429 with %j states a wait of %i s", async (wait, seconds) => {
  const { get, fault } = createService();
  fault({ ...failWith(429), ...wait });
  const { body, headers } = await get(BALANCE);
  expect([body.error_code, body.retry_after_seconds]).toEqual(["rate_limited", seconds]);
  expect(headers.get("Retry-After")).toBe(String(seconds));
});

test.each([200, 204, 304, 308, 418, 599])("a fault can respond with status %i", async (status) => {
  const { get, fault } = createService();
  fault(failWith(status));
  expect((await get(BALANCE)).status).toBe(status);
});

test("latency passes on the emulator's clock before the request is carried out", async () => {
  const { create, read, fault } = createService();
  fault({ kind: "latency", ms: 90_000 }, { method: "POST" });
  const taskId = await create();
  expect((await read(taskId)).created_at).toBe("2026-01-01T00:01:30.000Z");
});

test.each([
  ["disabled", 401, "invalid_api_key"],
  ["deleted", 401, "invalid_api_key"],
  ["suspended with its account", 403, "account_suspended"],
] as const)("a key that is %s during a delay is refused", async (change, status, code) => {
  const { emulator, fault } = createService();
  const { accountId, accounts } = emulator;
  const { key_id, api_key: apiKey } = accounts.createKey(accountId);
  fault({ kind: "latency", ms: 5000 });
  const delayed = serviceOf(emulator, { apiKey }).post(VALID.song);
  void emulator.clock.sleep(1000).then(() => {
    if (change === "deleted") accounts.deleteKey(accountId, key_id);
    else if (change === "disabled") accounts.updateKey(accountId, key_id, { disabled: true });
    else accounts.update(accountId, { suspended: true });
  });
  expect(await delayed).toMatchObject({ status, body: { error_code: code } });
  expect(emulator.state().tasks).toEqual([]);
});

test("a stalled request with a signal stops time until it is aborted, except for `advance`", async () => {
  const { emulator, fault } = createService();
  const { clock } = emulator;
  const start = clock.now();
  fault({ kind: "stall" });
  const controller = new AbortController();
  const stalled = emulator.fetch(emulator.url + BALANCE, { signal: controller.signal });
  const slept = clock.sleep(60_000).then(() => clock.now() - start);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(clock.now() - start).toBe(0);
  await clock.advance(10_000);
  expect(clock.now() - start).toBe(10_000);
  controller.abort(new Error("enough"));
  await expect(stalled).rejects.toThrow("enough");
  expect(await slept).toBe(60_000);
});

test("a stalled request without a signal does not stop time, and ends when the emulator is disposed", async () => {
  const { emulator, fault } = createService();
  fault({ kind: "stall" });
  const stalled = emulator.fetch(emulator.url + BALANCE);
  stalled.catch(() => {});
  await emulator.clock.sleep(3_600_000);
  await emulator[Symbol.asyncDispose]();
  await expect(stalled).rejects.toThrow(TypeError);
});

test.each([
  ["at once is not carried out", 0, 0],
  ["in flight is carried out", 1_000, 10],
])("a request that is aborted %s", async (_, abortedAfterMs, frozen) => {
  const service = createService({ credits: 20 });
  const { emulator, balance, fault } = service;
  if (abortedAfterMs > 0) fault({ kind: "latency", ms: 5_000 }, { method: "POST" });
  const controller = new AbortController();
  const init = postOf(service, VALID.song, { signal: controller.signal });
  const posted = emulator.fetch(emulator.url + TASK, init);
  if (abortedAfterMs > 0) await emulator.clock.sleep(abortedAfterMs);
  controller.abort();
  await expect(posted).rejects.toMatchObject({ name: "AbortError" });
  await emulator.clock.sleep(10_000);
  expect((await balance()).frozen).toBe(frozen);
});

describe("the requests to which a fault applies", () => {
  async function statuses(get: (path: string) => Promise<{ status: number }>, ...paths: string[]) {
    const seen = [];
    for (const path of paths) seen.push((await get(path)).status);
    return seen;
  }

  test("are the first of its method and path, once by default", async () => {
    const { get, fault } = createService();
    fault(failWith(503), { path: USAGE });
    expect(await statuses(get, BALANCE, USAGE, USAGE)).toEqual([200, 503, 200]);
    fault(failWith(503), { method: "get", path: "/api/v1/account/*", times: 2 });
    expect(await statuses(get, `${TASK}/x`, BALANCE, USAGE, BALANCE)).toEqual([404, 503, 503, 200]);
  });

  test("get the faults in the order in which these were added, one each", async () => {
    const { get, fault } = createService();
    fault(failWith(500));
    fault(failWith(502));
    expect(await statuses(get, BALANCE, BALANCE, BALANCE)).toEqual([500, 502, 200]);
  });

  test("are missing for unused faults, which are listed with the number of uses left", async () => {
    const { get, fault, emulator } = createService();
    fault(failWith(503), { path: "/task" });
    fault(failWith(503), { path: USAGE, times: 2 });
    fault(failWith(503), { path: BALANCE });
    await statuses(get, BALANCE, USAGE);
    expect(emulator.faults.list()).toEqual([
      { rule: { path: "/task", fault: failWith(503) }, left: 1 },
      { rule: { path: USAGE, times: 2, fault: failWith(503) }, left: 1 },
    ]);
  });

  test("are chosen by the seed where the fault has a probability", async () => {
    const run = async (seed: number) => {
      const { get, fault } = createService({ seed });
      fault(failWith(503), { probability: 0.3 });
      return statuses(get, ...Array<string>(300).fill(BALANCE));
    };
    const [first, again, other] = [await run(1), await run(1), await run(2)];
    const failed = first.filter((status) => status === 503).length;
    expect(failed).toBeGreaterThan(60);
    expect(failed).toBeLessThan(120);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });
});

test("a request without a response is logged without a status", async () => {
  const { get, emulator, fault } = createService();
  fault({ kind: "disconnect", when: "after" });
  await get(BALANCE, { "X-Request-Id": "lost" }).catch(() => {});
  const request = { at: "2026-01-01T00:00:00.000Z", method: "GET", path: BALANCE, request_id: "lost" };
  const { accountId } = emulator;
  expect(emulator.requests).toEqual([{ ...request, status: null, account_id: accountId, error_code: null }]);
});

test.each([
  [
    { fault: { kind: "explode" } },
    "`fault.kind` must be one of status, disconnect, latency, malformed, stall; got `explode`.",
  ],
  [{ fault: "explode" }, "`fault` must be an object; got `explode`."],
  [{ probability: 2, fault: { kind: "stall" } }, /`probability` must be a number above 0, at most 1; got 2/],
  [{ method: "GTE", fault: { kind: "stall" } }, /^`method` must be one of GET, .*; got `GTE`\.$/],
  [{ path: "api/v1/task", fault: { kind: "stall" } }, /^`path` must begin with \/ or be \*; got /],
])("the fault %j is refused with its field's name", (rule, message) => {
  expect(() => createService().emulator.faults.add(rule as never)).toThrow(message);
});

test.each<[string, Fault, call: (client: AsyncMusic, url: string) => Promise<unknown>]>([
  ["read", { kind: "disconnect", when: "before" }, (client) => client.account.balance()],
  ["read", failWith(500), (client) => client.account.balance()],
  [
    "download",
    { kind: "malformed" },
    async (client, url) => (await client.audio.download(url)).arrayBuffer(),
  ],
])("a %s by the SDK fails only with one fault more than `maxRetries`: %j", async (_, fault, call) => {
  const emulator = createEmulator();
  const client = new AsyncMusic(emulator.connection());
  const song = await client.tasks.run(VALID.song);
  const url = song.output.result[0]?.audio_url ?? "";
  emulator.faults.add({ times: 2, fault });
  await call(client, url);
  emulator.faults.add({ times: 3, fault });
  await expect(call(client, url)).rejects.toThrow(AsyncMusicError);
});

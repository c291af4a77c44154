import { createEmulator, type Emulator, type LoggedRequest } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { coreOf } from "../../emulator/http/service.js";
import { DOORS } from "./support/doors.js";
import { eventsOf } from "./support/events.js";
import { BALANCE, createService, serviceOf, TASK, USAGE } from "./support/service.js";

/** The number of streams and listeners. */
const readersOf = (emulator: Emulator) => coreOf(emulator).logReaders.size;

const untilReadBy = (count: number, emulator: Emulator) =>
  expect.poll(() => readersOf(emulator), { timeout: 60_000 }).toBe(count);

describe.each(Object.entries(DOORS))("GET /_emulator/requests/stream, through %s", (_, enter) => {
  const open = async () => {
    const { emulator, get } = createService();
    const { fetch, url } = await enter(emulator);
    const follow = (init: RequestInit = {}) => fetch(`${url}/_emulator/requests/stream`, init);
    return { emulator, get, follow, outside: serviceOf(emulator, { fetch, url }) };
  };

  test("sends earlier requests first, and then each request as it ends", async () => {
    const { emulator, get, follow, outside } = await open();
    await get(BALANCE);
    await get("/nowhere");
    const response = await follow();
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/event-stream");
    expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
    const events = eventsOf(response);
    const seen = [await events.next(), await events.next()];
    await outside.get(USAGE);
    seen.push(await events.next());
    await get(BALANCE);
    seen.push(await events.next());
    expect(seen).toEqual(emulator.requests);
    expect(seen.map(({ path }) => path)).toEqual([BALANCE, "/nowhere", USAGE, BALANCE]);
    await events.leave();
    await untilReadBy(0, emulator);
  });

  test("waits while the log is empty", async () => {
    const { emulator, get, follow } = await open();
    const events = eventsOf(await follow());
    const first = events.next();
    await untilReadBy(1, emulator);
    await get(BALANCE);
    expect((await first).path).toBe(BALANCE);
    await events.leave();
    await untilReadBy(0, emulator);
  });

  test("ends when its request is aborted, and the service keeps running", async () => {
    const { emulator, get, follow } = await open();
    const leaving = new AbortController();
    const events = eventsOf(await follow({ signal: leaving.signal }));
    const next = events.next().catch((error: unknown) => error);
    leaving.abort();
    await next;
    await untilReadBy(0, emulator);
    expect((await get(BALANCE)).status).toBe(200);
  });

  test("continues after a reset, and ends when the emulator is disposed", async () => {
    const { emulator, get, follow } = await open();
    const events = eventsOf(await follow());
    emulator.reset();
    await get(BALANCE);
    expect((await events.next()).path).toBe(BALANCE);
    await emulator[Symbol.asyncDispose]();
    expect(await events.next().catch(() => null)).toBeNull();
    expect(readersOf(emulator)).toBe(0);
  });
});

test("closing a server ends its streams", async () => {
  const emulator = createEmulator({ clock: "virtual" });
  const { url, close } = await serve(emulator);
  await fetch(`${url}/_emulator/requests/stream`);
  await untilReadBy(1, emulator);
  await close();
  await untilReadBy(0, emulator);
});

test("an open stream does not keep virtual time from skipping", async () => {
  const { emulator } = createService();
  const events = eventsOf(await emulator.fetch(`${emulator.url}/_emulator/requests/stream`));
  await emulator.clock.sleep(3_600_000);
  await events.leave();
});

test("`onRequest` calls its listener for each request as it ends, until it is removed", async () => {
  const service = createService();
  const heard: LoggedRequest[] = [];
  await service.balance();
  const leave = service.emulator.onRequest((request) => heard.push(request));
  await service.balance();
  await service.get(`${TASK}/none`);
  leave();
  await service.balance();
  expect(heard).toEqual(service.emulator.requests.slice(1, 3));
  expect(heard.map(({ status }) => status)).toEqual([200, 404]);
});

test("a listener that throws changes no request, and its error is an uncaught exception", async () => {
  const { emulator, get } = createService();
  const failed = new Error("expected 1 to be 2");
  const thrown: unknown[] = [];
  const { queueMicrotask: queue } = globalThis;
  const guarded = (callback: () => void) => () => {
    try {
      callback();
    } catch (error) {
      thrown.push(error);
    }
  };
  vi.stubGlobal("queueMicrotask", (callback: () => void) => queue(guarded(callback)));
  onTestFinished(() => void vi.unstubAllGlobals());
  const seen: LoggedRequest[] = [];
  const removals = [
    emulator.onRequest(() => {
      throw failed;
    }),
    emulator.onRequest((request) => void seen.push(request)),
  ];
  const { status } = await get(BALANCE);
  expect([status, seen.length, emulator.requests.length]).toEqual([200, 1, 1]);
  expect(thrown).toEqual([failed]);
  for (const remove of removals) remove();
});

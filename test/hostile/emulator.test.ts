import { createEmulator } from "async-music/emulator";
import { describe, expect, test, vi } from "vitest";
import { REMEMBERED_REQUESTS } from "../../emulator/core/log/request-log.js";
import { coreOf } from "../../emulator/http/service.js";
import { BALANCE, createControlled, USAGE, VALID } from "../emulator/support/service.js";

const LATEST = Date.UTC(9900, 0, 1);

describe("at the latest time that the clock can have", () => {
  const open = async () => {
    const service = createControlled();
    const { clock } = service.emulator;
    await clock.advance(LATEST - clock.now());
    return service;
  };

  test("the API and the control plane still respond", async () => {
    const { emulator, create, get, control } = await open();
    const taskId = await create(VALID.song, { queue_seconds: 1e9, process_seconds: 1e9 });
    emulator.accounts.topUp(emulator.accountId, { usd: 10, method: "card", outcome: "refused" });
    const responses = [await get(BALANCE), await get(USAGE), await get(`/api/v1/task/${taskId}`)];
    for (const path of ["/state", "/overview", `/tasks/${taskId}`, "/snapshot", "/audit"])
      responses.push(await control("GET", path));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await control("GET", `/tasks/${taskId}`)).body.plan.ends_at).toMatch(/^99\d\d-/);
  });

  test("an emulator starts from a snapshot", async () => {
    const { emulator, create } = await open();
    const taskId = await create(VALID.song, { polls: 1 });
    const fork = createEmulator({ snapshot: emulator.snapshot() });
    expect(fork.state().tasks.map(({ task_id }) => task_id)).toEqual([taskId]);
  });

  test("a further advance is refused, and the service still responds", async () => {
    const { emulator, get, control } = await open();
    await expect(emulator.clock.advance(1)).rejects.toThrow(
      "`ms` must be 0 or more and lead to 9900-01-01T00:00:00.000Z at the latest; got 1.",
    );
    const { status, body } = await control("POST", "/clock/advance", { seconds: 1 });
    expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
    expect(emulator.clock.now()).toBe(LATEST);
    expect((await get(BALANCE)).status).toBe(200);
  });
});

test("overlapping advances can't pass the latest time, and a refused one does not end the others", async () => {
  const { clock } = createEmulator();
  const half = Math.ceil((LATEST - clock.now()) * 0.6);
  void clock.sleep(1000);
  const [first, second] = [clock.advance(half), clock.advance(half)];
  const refused = expect(second).rejects.toThrow(RangeError);
  const third = clock.advance(1000);
  await first;
  await refused;
  await third;
  expect(clock.now()).toBe(Date.UTC(2026, 0, 1) + half + 1000);
});

describe("a request stream that is not read", () => {
  const open = async (events: number) => {
    const service = createControlled();
    const follow = () => service.emulator.fetch(`${service.emulator.url}/_emulator/requests/stream`);
    for (let count = 0; count < events; count++) await service.get(BALANCE);
    return { ...service, follow };
  };

  test("holds only a few events in memory, however many requests there were", async () => {
    const { emulator, get, follow } = await open(1000);
    const encode = vi.spyOn(TextEncoder.prototype, "encode");
    const streams = await Promise.all(Array.from({ length: 50 }, follow));
    for (let count = 0; count < 1000; count++) await get(BALANCE);
    const bytes = encode.mock.results.reduce((sum, { value }) => sum + value.byteLength, 0);
    encode.mockRestore();
    // One chunk waits in the stream, and one in that of the response.
    expect(bytes).toBeLessThan(50 * 3 * 40 * 1024);
    expect(coreOf(emulator).logReaders.size).toBe(50);
    const [first, ...others] = streams;
    expect(await eventsIn(first, 2000)).toBe(2000);
    for (const { body } of others) await body?.cancel();
  });

  test("ends when the log drops unread requests, and a new stream begins with the remaining ones", async () => {
    const { emulator, follow, get } = await open(1);
    const { requests } = coreOf(emulator).state;
    const [request] = requests;
    if (request === undefined) throw new Error("Expected a request in the log");
    while (requests.length < 2 * REMEMBERED_REQUESTS) requests.push(request);
    const unread = await follow();
    await get(BALANCE);
    expect(coreOf(emulator).logReaders.size).toBe(0);
    expect(await eventsIn(unread, Number.POSITIVE_INFINITY)).toBeLessThan(1000);
    expect(await eventsIn(await follow(), REMEMBERED_REQUESTS)).toBeGreaterThanOrEqual(REMEMBERED_REQUESTS);
  });

  test("ends at the first request after a reset", async () => {
    const { emulator, follow, get } = await open(1000);
    const unread = await follow();
    emulator.reset();
    await get(BALANCE);
    expect(coreOf(emulator).logReaders.size).toBe(0);
    expect(await eventsIn(unread, Number.POSITIVE_INFINITY)).toBeLessThan(1000);
  });
});

async function eventsIn(response: Response | undefined, enough: number): Promise<number> {
  const decoder = new TextDecoder();
  let events = 0;
  for await (const chunk of response?.body ?? []) {
    events += decoder.decode(chunk, { stream: true }).split("data: ").length - 1;
    if (events >= enough) break;
  }
  return events;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { GET as GET_AUDIO } from "../../examples/next/app/api/songs/[order]/audio/[clip]/route.js";
import { GET as GET_EVENTS } from "../../examples/next/app/api/songs/[order]/events/route.js";
import { GET, PUT } from "../../examples/next/app/api/songs/[order]/route.js";
import { folderOfFile } from "../support/folder.js";

const emulator = createEmulator({ clock: "real" });
const folder = folderOfFile();
const server = setupServer(...emulatorHandlers(emulator));
beforeAll(() => {
  vi.stubEnv("ASYNC_MUSIC_API_KEY", emulator.apiKey);
  vi.stubEnv("ASYNC_MUSIC_BASE_URL", emulator.url);
  vi.stubEnv("SONGS_JOURNAL", join(folder, "songs.journal"));
  server.listen();
});
afterAll(() => {
  server.close();
  vi.unstubAllEnvs();
});

test("the example has the same orders as the servers", () => {
  const [own, shared] = ["next", "web"].map((name) => readFileSync(`examples/${name}/orders.ts`, "utf8"));
  expect(own).toBe(shared);
});

test("an order gets a 202, and its song later, which is charged once", async () => {
  emulator.providers.provider_a.next({ outcome: "success", queue_seconds: 60, process_seconds: 60 });
  const before = emulator.state().tasks.length;
  expect((await put("order-1")).status).toBe(202);
  expect(await (await get("order-1")).json()).toEqual({ status: "pending", progress: 0 });
  await emulator.clock.advance(10 * 60_000);
  expect(await (await get("order-1")).json()).toMatchObject({ status: "ready", clips: [{}, {}] });
  expect((await put("order-1")).status).toBe(202);
  expect(emulator.state().tasks).toHaveLength(before + 1);
  const events = await GET_EVENTS(new Request("https://app.example/"), contextOf("order-1"));
  expect(await events.text()).toContain('"status":"ready"');
  expect((await get("order-2")).status).toBe(404);
  expect(emulator.audit()).toEqual([]);
});

describe("the audio of a clip", () => {
  let clip: string;
  let whole: Uint8Array;
  const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
  const audio = (range?: string, others: Record<string, string> = {}) =>
    GET_AUDIO(
      new Request("https://app.example/audio", {
        headers: range === undefined ? others : { Range: range, ...others },
      }),
      { params: Promise.resolve({ order: "audio", clip }) },
    );

  beforeAll(async () => {
    await put("audio");
    await emulator.clock.advance(10 * 60_000);
    clip = (await (await get("audio")).json()).clips[0].id;
    whole = await bytesOf(await audio());
  });

  test("is whole without a range, and says that ranges are accepted", async () => {
    const response = await audio();
    expect([response.status, response.headers.get("Accept-Ranges")]).toEqual([200, "bytes"]);
    expect(response.headers.get("Content-Type")).toBe("audio/mpeg");
    expect(whole.length).toBeGreaterThan(100_000);
  });

  test.each([
    ["bytes=0-", 0, null],
    ["bytes=1000-", 1000, null],
    ["bytes=1000-1999", 1000, 1999],
    ["bytes=1000-99999999", 1000, null],
  ])("has the part %s", async (range, first, last) => {
    const response = await audio(range);
    const end = last ?? whole.length - 1;
    expect([response.status, response.headers.get("Content-Range")]).toEqual([
      206,
      `bytes ${first}-${end}/${whole.length}`,
    ]);
    expect(response.headers.get("Content-Type")).toBe("audio/mpeg");
    expect(await bytesOf(response)).toEqual(whole.slice(first, end + 1));
    // Only the part is requested from the service.
    expect(emulator.requests.at(-1)).toMatchObject({ method: "GET", status: 206 });
  });

  test("is whole if it has changed since the player received the other parts", async () => {
    const etag = (await audio("bytes=0-9")).headers.get("ETag") ?? "";
    const statusFor = async (ifRange: string) => (await audio("bytes=10-", { "If-Range": ifRange })).status;
    expect([await statusFor(etag), await statusFor('"other"')]).toEqual([206, 200]);
  });

  test("has no part behind its end", async () => {
    const response = await audio("bytes=99999999-");
    expect([response.status, response.headers.get("Content-Range")]).toEqual([
      416,
      `bytes */${whole.length}`,
    ]);
  });

  test("is a 502 if the service does not return it, and a 404 once it has expired", async () => {
    const path = emulator.requests.at(-1)?.path;
    emulator.faults.add({ path, fault: { kind: "status", status: 503, when: "before" } });
    expect((await audio("bytes=0-9")).status).toBe(502);
    await emulator.clock.advance(8 * 24 * 3600_000);
    expect((await audio("bytes=0-9")).status).toBe(404);
  });
});

const contextOf = (order: string) => ({ params: Promise.resolve({ order }) });

function put(order: string): Promise<Response> {
  const body = JSON.stringify({ description: "rain in Lisbon" });
  return PUT(new Request("https://app.example/", { method: "PUT", body }), contextOf(order));
}

function get(order: string): Promise<Response> {
  return GET(new Request("https://app.example/"), contextOf(order));
}

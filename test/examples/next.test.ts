import { createEmulator, type Fault } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { GET as GET_AUDIO } from "../../examples/next/app/api/songs/[id]/audio/[clip]/route.js";
import { GET } from "../../examples/next/app/api/songs/[id]/route.js";
import { POST } from "../../examples/next/app/api/songs/route.js";

const emulator = createEmulator({ clock: "real" });
const server = setupServer(...emulatorHandlers(emulator));
beforeAll(() => {
  vi.stubEnv("ASYNC_MUSIC_API_KEY", emulator.apiKey);
  vi.stubEnv("ASYNC_MUSIC_BASE_URL", emulator.url);
  server.listen();
});
afterAll(() => {
  server.close();
  vi.unstubAllEnvs();
});

test("an order gets a 202 with the URL of its song", async () => {
  emulator.providers.provider_a.next({ outcome: "success", queue_seconds: 60, process_seconds: 60 });
  const ordered = await post({ description: "rain in Lisbon" });
  expect(ordered.status).toBe(202);
  const id = idOf(ordered);

  const pending = await get(id);
  expect([await pending.json(), pending.headers.get("Retry-After")]).toEqual([
    { status: "pending", progress: 0 },
    "5",
  ]);
  await emulator.clock.advance(10 * 60_000);
  const ready = await get(id);
  expect(await ready.json()).toMatchObject({ status: "ready", clips: [{ id: expect.any(String) }, {}] });
  expect(emulator.audit()).toEqual([]);
});

test("a failed song has its reason, and an unknown one is a 404", async () => {
  emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
  const ordered = await post({ description: "rain in Lisbon" });
  await emulator.clock.advance(10 * 60_000);
  const failed = await get(idOf(ordered));
  expect(await failed.json()).toEqual({ status: "failed", reason: "content_moderation" });
  expect((await get("7c9e6679-7425-40de-944b-e07fc1f90ae7")).status).toBe(404);
});

test("an invalid order is a 400, and an unknown outcome a 502", async () => {
  expect((await post({ description: "" })).status).toBe(400);
  const unknown = await postDuring({ kind: "disconnect", when: "after" });
  expect([unknown.status, await unknown.json()]).toEqual([
    502,
    { error: "The song may have been ordered.", request_id: expect.any(String) },
  ]);
});

test("a redirected order may have been received: its outcome is unknown", async () => {
  const redirected = await postDuring({ kind: "status", status: 302, when: "after" });
  expect([redirected.status, await redirected.json()]).toMatchObject([
    502,
    { error: "The song may have been ordered." },
  ]);
});

test("an order whose broken response names its task gets the URL of its song", async () => {
  const ordered = await postDuring({ kind: "malformed" });
  const id = emulator.state().tasks.at(-1)?.task_id;
  expect([ordered.status, await ordered.json()]).toEqual([202, { status_url: `/api/songs/${id}` }]);
});

test.each([401, 402, 403])("after a refusal with a %i, an order is a 503", async (status) => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const before = emulator.state().tasks.length;
  const refused = await postDuring({ kind: "status", status, when: "before" });
  expect([refused.status, await refused.json()]).toEqual([
    503,
    { error: "Nothing was ordered. Try again later." },
  ]);
  expect(emulator.state().tasks).toHaveLength(before);
  expect(log).toHaveBeenCalledWith(expect.objectContaining({ status }));
});

describe("the audio of a clip", () => {
  let id: string;
  let clip: string;
  let whole: Uint8Array;
  const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
  const audio = (range?: string, others: Record<string, string> = {}) =>
    GET_AUDIO(
      new Request("https://app.example/audio", {
        headers: range === undefined ? others : { Range: range, ...others },
      }),
      { params: Promise.resolve({ id, clip }) },
    );

  beforeAll(async () => {
    const ordered = await post({ description: "rain in Lisbon" });
    id = idOf(ordered);
    await emulator.clock.advance(10 * 60_000);
    clip = (await (await get(id)).json()).clips[0].id;
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

const idOf = (ordered: Response) => ordered.headers.get("Location")?.replace("/api/songs/", "") ?? "";

/** What the order is while this fault changes the response of the service. */
function postDuring(fault: Fault): Promise<Response> {
  emulator.faults.add({ method: "POST", fault });
  return post({ description: "rain in Lisbon" });
}

function post(body: unknown): Promise<Response> {
  return POST(new Request("https://app.example/api/songs", { method: "POST", body: JSON.stringify(body) }));
}

function get(id: string): Promise<Response> {
  return GET(new Request(`https://app.example/api/songs/${id}`), { params: Promise.resolve({ id }) });
}

import { createEmulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
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
  const id = ordered.headers.get("Location")?.replace("/api/songs/", "") ?? "";

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
  const failed = await get(ordered.headers.get("Location")?.replace("/api/songs/", "") ?? "");
  expect(await failed.json()).toEqual({ status: "failed", reason: "content_moderation" });
  expect((await get("7c9e6679-7425-40de-944b-e07fc1f90ae7")).status).toBe(404);
});

test("an invalid order is a 400, and an unknown outcome a 502", async () => {
  expect((await post({ description: "" })).status).toBe(400);
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  const unknown = await post({ description: "rain in Lisbon" });
  expect([unknown.status, await unknown.json()]).toEqual([
    502,
    { error: "unknown outcome", request_id: expect.any(String) },
  ]);
});

function post(body: unknown): Promise<Response> {
  return POST(new Request("https://app.example/api/songs", { method: "POST", body: JSON.stringify(body) }));
}

function get(id: string): Promise<Response> {
  return GET(new Request(`https://app.example/api/songs/${id}`), { params: Promise.resolve({ id }) });
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { memoryJournal, settleOutcome } from "async-music";
import { test } from "async-music/emulator/vitest";
import { expect, vi } from "vitest";
import { createApp } from "../../examples/hono/app.js";
import { environment } from "./support/run-example.js";

const RAIN = JSON.stringify({ description: "rain in Lisbon" });

test("an order gets a 202, and its song later", async ({ client, emulator }) => {
  const app = createApp(client, memoryJournal());
  const ordered = await app.request("/songs/1", { method: "PUT", body: RAIN });
  expect([ordered.status, ordered.headers.get("Location")]).toEqual([202, "/songs/1"]);
  const pending = await app.request("/songs/1");
  expect([await pending.json(), pending.headers.get("Retry-After")]).toEqual([{ status: "pending" }, "5"]);
  await emulator.clock.advance(10 * 60_000);
  const ready = await app.request("/songs/1");
  expect(await ready.json()).toMatchObject({
    status: "ready",
    clips: [{ audio_url: expect.any(String) }, {}],
  });
});

test("the progress of an order is streamed until it has ended", async ({ client }) => {
  const app = createApp(client, memoryJournal());
  await app.request("/songs/1", { method: "PUT", body: RAIN });
  const events = await app.request("/songs/1/events");
  expect(events.headers.get("Content-Type")).toBe("text/event-stream");
  const messages = (await events.text()).split("\n\n").filter((message) => message !== "");
  const seen = messages.map((message) => JSON.parse(message.replace("data: ", "")));
  const progress = seen.map((each) => each.progress);
  expect(progress).toEqual(progress.toSorted((one, other) => one - other));
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.at(-1)).toEqual({ status: "success", progress: 1 });
  expect((await app.request("/songs/2/events")).status).toBe(404);
});

test("repeated orders with one name create one song, even after a restart", async ({ client, emulator }) => {
  const journal = memoryJournal();
  const put = () => createApp(client, journal).request("/songs/1", { method: "PUT", body: RAIN });
  expect((await Promise.all([put(), put(), put()])).map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(emulator.state().tasks).toHaveLength(1);
});

test("another order with the same name is refused, and does not change the first", async ({
  client,
  emulator,
}) => {
  const app = createApp(client, memoryJournal());
  await app.request("/songs/1", { method: "PUT", body: RAIN });
  const body = JSON.stringify({ description: "snow" });
  expect((await app.request("/songs/1", { method: "PUT", body })).status).toBe(409);
  await emulator.clock.advance(10 * 60_000);
  expect(await (await app.request("/songs/1")).json()).toMatchObject({ status: "ready" });
});

test("an invalid order and an unknown outcome are reported", async ({ client, emulator }) => {
  const app = createApp(client, memoryJournal());
  const put = (description: string) =>
    app.request("/songs/1", { method: "PUT", body: JSON.stringify({ description }) });
  expect((await put(" ")).status).toBe(400);
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  const unknown = await put("rain in Lisbon");
  expect([unknown.status, await unknown.text()]).toEqual([503, "SubmissionOutcomeUnknownError"]);
  expect((await app.request("/songs/1")).status).toBe(404);
});

test("an order whose outcome was settled gets a 202, and its song", async ({ client, emulator }) => {
  const journal = memoryJournal();
  const app = createApp(client, journal);
  const put = () => app.request("/songs/1", { method: "PUT", body: RAIN });
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  expect((await put()).status).toBe(503);
  await settleOutcome(journal, "1", emulator.state().tasks[0]?.task_id ?? null);
  expect((await put()).status).toBe(202);
  expect((await app.request("/songs/1/events")).status).toBe(200);
  await emulator.clock.advance(10 * 60_000);
  expect(await (await app.request("/songs/1")).json()).toMatchObject({ status: "ready" });
});

test("an order that fails has the reason", async ({ client, emulator }) => {
  emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
  const app = createApp(client, memoryJournal());
  await app.request("/songs/1", { method: "PUT", body: RAIN });
  await emulator.clock.advance(10 * 60_000);
  expect(await (await app.request("/songs/1")).json()).toEqual({
    status: "failed",
    reason: "TaskFailedError",
  });
});

test("the same works on a port", async ({ onTestFinished }) => {
  const cwd = mkdtempSync(join(tmpdir(), "async-music-hono-"));
  const server = spawn(process.execPath, [resolve("examples/hono/main.ts")], {
    cwd,
    env: { ...environment, PORT: "0" },
  });
  onTestFinished(async () => {
    server.kill();
    await once(server, "exit");
    rmSync(cwd, { recursive: true });
  });
  const [output] = await once(server.stdout, "data");
  const song = `http://127.0.0.1:${/\d+/.exec(String(output))?.[0]}/songs/1`;

  expect((await fetch(song, { method: "PUT", body: RAIN })).status).toBe(202);
  await vi.waitFor(
    async () => expect(await (await fetch(song)).json()).toMatchObject({ status: "ready" }),
    60_000,
  );
});

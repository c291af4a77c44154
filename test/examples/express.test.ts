import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type AsyncMusic, type Journal, memoryJournal, settleOutcome } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { test } from "async-music/emulator/vitest";
import { expect, onTestFinished, vi } from "vitest";
import { environment } from "./support/run-example.js";

interface Example {
  createApp(client: AsyncMusic, journal: Journal): RequestListener;
  resumeOrders(client: AsyncMusic, journal: Journal): Promise<void>;
}

const RAIN = JSON.stringify({ description: "rain in Lisbon" });
const RAIN_REQUEST = {
  model: "provider_a",
  task_type: "music",
  input: { gpt_description_prompt: "rain in Lisbon" },
} as const;

// JavaScript, without types.
const example: Example = await import(resolve("examples/express/app.mjs"));

/** The address of the order `1`. */
async function listen(client: AsyncMusic, journal: Journal): Promise<string> {
  const server = createServer(example.createApp(client, journal)).listen(0);
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/songs/1`;
}

async function put(song: string, body = RAIN) {
  const response = await fetch(song, { method: "PUT", body });
  return { status: response.status, location: response.headers.get("Location"), body: await response.json() };
}

const statusOf = async (song: string) => (await fetch(song)).json();

/** As a process leaves an order that ends before its song. */
async function leaveOpen(client: AsyncMusic, journal: Journal): Promise<void> {
  await client.tasks.run(RAIN_REQUEST, { journal, journalKey: "1", maxWaitMs: 1 }).catch(() => {});
}

test("an order gets a 202, and its song later; repeated, it creates one song", async ({
  client,
  emulator,
}) => {
  const song = await listen(client, memoryJournal());
  expect((await fetch(song)).status).toBe(404);
  const answers = await Promise.all([put(song), put(song), put(song)]);
  expect(answers.map(({ status, location }) => [status, location])).toEqual(Array(3).fill([202, "/songs/1"]));
  await vi.waitFor(async () => expect(await statusOf(song)).toMatchObject({ status: "ready" }), 60_000);
  expect(await statusOf(song)).toMatchObject({ clips: [{ audio_url: expect.any(String) }, {}] });
  expect(emulator.state().tasks).toHaveLength(1);
});

test("the progress of an order is streamed until it has ended", async ({ client }) => {
  const song = await listen(client, memoryJournal());
  expect((await fetch(`${song}/events`)).status).toBe(404);
  await put(song);
  const events = await fetch(`${song}/events`);
  expect(events.headers.get("Content-Type")).toBe("text/event-stream");
  expect(events.headers.get("Cache-Control")).toBe("no-cache, no-transform");
  expect(await events.text()).toMatch(/data: \{"status":"success","progress":1\}\n\n$/);
});

test("the polling ends when the page is closed", async ({ client, emulator }) => {
  const journal = memoryJournal();
  await leaveOpen(client, journal);
  const song = await listen(client, journal);
  emulator.faults.add({ method: "GET", fault: { kind: "stall" } });
  const watch = vi.spyOn(client.tasks, "watch");
  const page = new AbortController();
  const events = fetch(`${song}/events`, { signal: page.signal }).catch(() => {});
  await vi.waitFor(() => expect(emulator.faults.list()).toEqual([]), 60_000);
  const signal = watch.mock.calls[0]?.[1]?.signal;
  expect(signal?.aborted).toBe(false);
  page.abort();
  await events;
  await vi.waitFor(() => expect(signal?.aborted).toBe(true), 60_000);
});

test("after a restart, an order is known and continues, without another PUT", async ({
  client,
  emulator,
}) => {
  const journal = memoryJournal();
  await leaveOpen(client, journal);
  const song = await listen(client, journal);
  const pending = await fetch(song);
  expect([await pending.json(), pending.headers.get("Retry-After")]).toEqual([{ status: "pending" }, "5"]);
  await emulator.clock.advance(1000);
  await example.resumeOrders(client, journal);
  await vi.waitFor(async () => expect(await statusOf(song)).toMatchObject({ status: "ready" }), 60_000);
  expect(emulator.state().tasks).toHaveLength(1);
});

test("invalid and conflicting orders are refused, and a failed one has the reason", async ({
  client,
  emulator,
}) => {
  const song = await listen(client, memoryJournal());
  expect(await put(song, JSON.stringify({ description: " " }))).toMatchObject({ status: 400 });
  expect(await put(song, "{")).toMatchObject({ status: 400 });
  emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
  await put(song);
  expect(await put(song, JSON.stringify({ description: "snow" }))).toMatchObject({ status: 409 });
  const failed = { status: "failed", reason: "content_moderation" };
  await vi.waitFor(async () => expect(await statusOf(song)).toEqual(failed), 60_000);
});

test("an unknown outcome is reported, and the order continues after it was settled", async ({
  client,
  emulator,
}) => {
  const journal = memoryJournal();
  const song = await listen(client, journal);
  const unknown = { status: 503, body: { error: "SubmissionOutcomeUnknownError" } };
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  expect(await put(song)).toMatchObject(unknown);
  expect(await statusOf(song)).toEqual({ status: "unknown" });
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  await example.resumeOrders(client, journal);
  const line = /^1: settle request \S+$/;
  await vi.waitFor(() => expect(log).toHaveBeenCalledWith(expect.stringMatching(line)), 60_000);
  await settleOutcome(journal, "1", emulator.state().tasks[0]?.task_id ?? null);
  expect(await put(song)).toMatchObject({ status: 202 });
});

test("an order that another process may still be sending is run again later", async ({
  client,
  emulator,
}) => {
  const journal = memoryJournal();
  const at = new Date(emulator.clock.now()).toISOString();
  const intent = {
    state: "intent",
    revision: "1",
    request: RAIN_REQUEST,
    request_id: "of-another",
    at,
  } as const;
  await journal.put("1", { ...intent, tasks_created: 0 }, null);
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const run = vi.spyOn(client.tasks, "run");
  await example.resumeOrders(client, journal);
  await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(2), 60_000);
  expect(log).not.toHaveBeenCalled();
  await emulator.clock.advance(120_000);
  await vi.waitFor(() => expect(log).toHaveBeenCalledWith("1: settle request of-another"), 60_000);
});

test("a server that is killed and started again continues its orders", async () => {
  const emulator = createEmulator({ clock: "real" });
  emulator.providers.provider_a.always({ polls: 1 });
  await using service = await serve(emulator);
  const cwd = mkdtempSync(join(tmpdir(), "async-music-express-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const env = {
    ...environment,
    PORT: "0",
    ASYNC_MUSIC_API_KEY: emulator.apiKey,
    ASYNC_MUSIC_BASE_URL: service.url,
  };
  const start = async () => {
    const server = spawn(process.execPath, [resolve("examples/express/main.mjs")], { cwd, env });
    const [output] = await once(server.stdout, "data");
    const song = `http://127.0.0.1:${/\d+/.exec(String(output))?.[0]}/songs/1`;
    const kill = async () => {
      server.kill("SIGKILL");
      await once(server, "exit");
    };
    return { song, kill };
  };
  const first = await start();
  expect(await put(first.song)).toMatchObject({ status: 202 });
  await first.kill();
  const second = await start();
  await vi.waitFor(async () => expect(await statusOf(second.song)).toMatchObject({ status: "ready" }), {
    timeout: 60_000,
    interval: 500,
  });
  await second.kill();
  expect(emulator.state().tasks).toHaveLength(1);
});

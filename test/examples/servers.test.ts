import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { AsyncMusic, type Journal, memoryJournal, settleOutcome } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { test } from "async-music/emulator/vitest";
import { describe, expect, onTestFinished, vi } from "vitest";
import * as hono from "../../examples/hono/app.js";
import { followSongs, orderSong } from "../../examples/web/orders.js";
import { createFolder } from "../support/folder.js";
import { listenOn } from "../support/loopback.js";
import { environment } from "./support/environment.js";

interface Express {
  createApp(client: AsyncMusic, journal: Journal, stopping: AbortSignal): RequestListener;
}

/** Sends a request for the order `1`, or for a path below it. */
type Send = (path?: string, init?: RequestInit) => Promise<Response>;

// JavaScript, without types.
const express: Express = await import(resolve("examples/express/app.mjs"));

/** Of a server that is not stopped. */
const running = new AbortController().signal;

async function startExpress(client: AsyncMusic, journal: Journal): Promise<Send> {
  const { url } = await listenOn(createServer(express.createApp(client, journal, running)));
  return (path = "", init = {}) => fetch(`${url}/songs/1${path}`, init);
}

async function startHono(client: AsyncMusic, journal: Journal): Promise<Send> {
  const app = hono.createApp(client, journal, running);
  return async (path = "", init = {}) => app.request(`/songs/1${path}`, init);
}

async function put(send: Send, description = "rain in Lisbon"): Promise<number> {
  const response = await send("", { method: "PUT", body: JSON.stringify({ description }) });
  await response.body?.cancel();
  return response.status;
}

const statusOf = async (send: Send) => (await send()).json();

const becomesReady = (send: Send) =>
  vi.waitFor(async () => expect(await statusOf(send)).toMatchObject({ status: "ready" }), 60_000);

/** The calls of a method of `console`, which writes nothing until the test ends. */
function watchLog(method: "error" | "log" = "error") {
  const log = vi.spyOn(console, method).mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  return log;
}

/** The messages of a stream, until it ends or has so many. */
async function messagesOf(stream: Response, count = Number.POSITIVE_INFINITY): Promise<unknown[]> {
  const messages: unknown[] = [];
  let buffer = "";
  for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = (buffer + chunk).split("\n\n");
    buffer = parts.pop() ?? "";
    for (const part of parts) if (part.startsWith("data: ")) messages.push(JSON.parse(part.slice(6)));
    if (messages.length >= count) break;
  }
  return messages;
}

describe.each([
  ["Hono", startHono, "examples/hono/main.ts"],
  ["Express", startExpress, "examples/express/main.mjs"],
])("the server with %s", (_, start, program) => {
  test("responds to an order with a 202, and has its song later", async ({ client, emulator }) => {
    emulator.providers.provider_a.next({ outcome: "success", queue_seconds: 60, process_seconds: 60 });
    const send = await start(client, memoryJournal());
    expect((await send()).status).toBe(404);
    expect(await put(send)).toBe(202);
    await becomesReady(send);
    expect(await statusOf(send)).toMatchObject({ clips: [{ audio_url: expect.any(String) }, {}] });
  });

  test("creates one song for repeated orders, even after a restart", async ({ client, emulator }) => {
    const journal = memoryJournal();
    const sends = await Promise.all([1, 2, 3].map(() => start(client, journal)));
    expect(await Promise.all(sends.map((send) => put(send)))).toEqual([202, 202, 202]);
    expect(emulator.state().tasks).toHaveLength(1);
  });

  test("streams the progress of an order until it has ended", async ({ client }) => {
    const send = await start(client, memoryJournal());
    expect((await send("/events")).status).toBe(404);
    await put(send);
    const events = await send("/events");
    expect(events.headers.get("Content-Type")).toBe("text/event-stream");
    const seen = await messagesOf(events);
    const progress = seen.slice(0, -1).map((song) => Object(song).progress);
    expect(progress.length).toBeGreaterThan(0);
    expect(progress).toEqual(progress.toSorted((one, other) => one - other));
    expect(seen.at(-1)).toMatchObject({ status: "ready", clips: [{}, {}] });
  });

  test("refuses invalid and other orders, and says what to do after a failure", async ({
    client,
    emulator,
  }) => {
    const send = await start(client, memoryJournal());
    expect(await put(send, " ")).toBe(400);
    emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
    await put(send);
    expect(await put(send, "snow")).toBe(409);
    const failed = { status: "failed", advice: "Describe the song in other words." };
    await vi.waitFor(async () => expect(await statusOf(send)).toEqual(failed), 60_000);
  });

  test("refuses an order that the account cannot pay", async () => {
    await using emulator = createEmulator({ credits: 0 });
    expect(await put(await start(new AsyncMusic(emulator.connection()), memoryJournal()))).toBe(402);
    expect(emulator.state().tasks).toEqual([]);
  });

  test("accepts the same order later that was refused while MP3 was unavailable", async ({
    client,
    emulator,
  }) => {
    const send = await start(client, memoryJournal());
    const log = watchLog();
    emulator.changePolicy({ audio_conversion: "off" });
    expect(await put(send)).toBe(503);
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ errorCode: "audio_format_unavailable" }));
    emulator.changePolicy({ audio_conversion: "on" });
    expect(await put(send)).toBe(202);
  });

  test("reports an unknown outcome, and continues once it is settled", async ({ client, emulator }) => {
    const journal = memoryJournal();
    const send = await start(client, journal);
    const log = watchLog();
    emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
    expect(await put(send)).toBe(503);
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ name: "SubmissionOutcomeUnknownError" }));
    expect((await send("/events")).status).toBe(404);
    await settleOutcome(journal, "1", emulator.state().tasks[0]?.task_id ?? null);
    expect(await put(send)).toBe(202);
    expect((await send("/events")).status).toBe(200);
    await becomesReady(send);
  });

  test("accepts an order whose broken response names its task", async ({ client, emulator }) => {
    emulator.faults.add({ method: "POST", fault: { kind: "malformed" } });
    const send = await start(client, memoryJournal());
    expect(await put(send)).toBe(202);
    await becomesReady(send);
    expect(emulator.state().tasks).toHaveLength(1);
  });

  test("says when to read a pending order again", async ({ client }) => {
    const send = await start(client, memoryJournal());
    await put(send);
    const pending = await send();
    expect([await pending.json(), pending.headers.get("Retry-After")]).toEqual([
      { status: "pending", progress: 0 },
      "5",
    ]);
  });

  test("ends the polling when the page is closed", async ({ client, emulator }) => {
    const send = await start(client, memoryJournal());
    await put(send);
    emulator.faults.add({ method: "GET", fault: { kind: "stall" } });
    const watch = vi.spyOn(client.tasks, "watch");
    const page = new AbortController();
    const events = send("/events", { signal: page.signal })
      .then((response) => response.text())
      .catch(() => {});
    await vi.waitFor(() => expect(emulator.faults.list()).toEqual([]), 60_000);
    const signal = watch.mock.calls[0]?.[1]?.signal;
    expect(signal?.aborted).toBe(false);
    page.abort();
    await events;
    await vi.waitFor(() => expect(signal?.aborted).toBe(true), 60_000);
  });

  test("is killed in the middle of a song, started again, and charges once", async () => {
    const emulator = createEmulator({ clock: "real" });
    emulator.providers.provider_a.always({ queue_seconds: 0, process_seconds: 1000 });
    await using service = await serve(emulator);
    const cwd = await createFolder();
    const connection = { ASYNC_MUSIC_API_KEY: emulator.apiKey, ASYNC_MUSIC_BASE_URL: service.url };
    const startProcess = async () => {
      const env = { ...environment, PORT: "0", ...connection };
      const server = spawn(process.execPath, [resolve(program)], { cwd, env });
      const [output] = await once(server.stdout, "data");
      const url = `http://127.0.0.1:${/\d+/.exec(String(output))?.[0]}`;
      const end = async (signal: NodeJS.Signals) => {
        const exit = once(server, "exit");
        const errors = text(server.stderr);
        server.kill(signal);
        return [(await exit)[0], await errors];
      };
      return { url, send: (path = "", init = {}) => fetch(`${url}/songs/1${path}`, init), end };
    };

    const first = await startProcess();
    expect(await (await fetch(first.url)).text()).toContain("EventSource");
    expect(await put(first.send)).toBe(202);
    expect(await messagesOf(await first.send("/events"), 1)).toMatchObject([{ status: "pending" }]);
    await first.end("SIGKILL");

    const second = await startProcess();
    const seen = messagesOf(await second.send("/events"));
    await emulator.clock.advance(2_000_000);
    const song = Object((await seen).at(-1));
    expect(song).toMatchObject({ status: "ready", clips: [{}, {}] });
    const audio = await fetch(song.clips[0].audio_url);
    expect([audio.status, audio.headers.get("Content-Type")]).toEqual([200, "audio/mpeg"]);
    await audio.body?.cancel();
    expect(await put(second.send)).toBe(202);
    expect(await second.end("SIGTERM")).toEqual([0, ""]);
    expect(emulator.state().tasks).toHaveLength(1);
    const { account } = new AsyncMusic(emulator.connection());
    expect(await account.balance()).toMatchObject({ available: 990, frozen: 0 });

    const third = await startProcess();
    emulator.providers.provider_a.always({ queue_seconds: 0, process_seconds: 1000 });
    const other = third.url.concat("/songs/2");
    const order = { method: "PUT", body: JSON.stringify({ description: "snow" }) };
    expect((await fetch(other, order)).status).toBe(202);
    const events: string[] = [];
    // A page that connects again, on the same connection.
    const page = async () => {
      for (;;) {
        const stream = await fetch(`${other}/events`);
        events.push("open");
        events.push(await stream.text());
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    };
    const closed = page().catch(() => {});
    await vi.waitFor(() => expect(events).toContain("open"), 60_000);
    emulator.faults.add({ method: "POST", fault: { kind: "latency", ms: 1000 } });
    const inFlight = fetch(third.url.concat("/songs/3"), order);
    await vi.waitFor(() => expect(emulator.faults.list()).toEqual([]), 60_000);
    const stoppedAt = performance.now();
    expect(await third.end("SIGTERM")).toEqual([0, ""]);
    expect(performance.now() - stoppedAt).toBeLessThan(20_000);
    expect((await inFlight).status).toBe(202);
    await closed;
    expect(events.join()).not.toContain("wait_error");
  });
});

describe.each([
  ["Hono", startHono],
  ["Express", startExpress],
])("the server with %s", (_, start) => {
  test.for(["{", undefined])("refuses an order whose body is %j", async (body, { client, emulator }) => {
    const send = await start(client, memoryJournal());
    watchLog();
    expect((await send("", { method: "PUT", ...(body !== undefined && { body }) })).status).toBe(400);
    expect(emulator.state().tasks).toEqual([]);
  });
});

test.for(["../evil", "a/b", "", ".", "1".repeat(65), "1\n", "1%00"])(
  "the order %j of a browser is refused",
  async (order, { client, emulator }) => {
    const { status } = await orderSong(client, memoryJournal(), order, "rain in Lisbon");
    expect([status, emulator.state().tasks]).toEqual([400, []]);
  },
);

test("a task that the journal could not record is logged, and recorded after all", async ({
  client,
  emulator,
}) => {
  const stored = memoryJournal();
  let failures = 2;
  const journal: Journal = {
    ...stored,
    async put(...values) {
      if (values[1].state === "submitted" && failures-- > 0) throw new Error("The disk is full.");
      return stored.put(...values);
    },
  };
  const log = watchLog();
  expect((await orderSong(client, journal, "1", "rain in Lisbon")).status).toBe(202);
  const [task] = emulator.state().tasks;
  expect(await stored.get("1")).toMatchObject({ state: "submitted", task_id: task?.task_id });
  expect(log).toHaveBeenCalledWith(expect.stringContaining(String(task?.task_id)));
});

test("a song is waited for after a restart, without a page", async ({ client, emulator }) => {
  const journal = memoryJournal();
  await put(await startHono(client, journal));
  const log = watchLog("log");
  const stop = new AbortController();
  const following = followSongs(client, journal, stop.signal);
  await vi.waitFor(() => expect(log).toHaveBeenCalledWith("1: success"), 60_000);
  stop.abort();
  await following;
  expect(emulator.state().tasks).toHaveLength(1);
});

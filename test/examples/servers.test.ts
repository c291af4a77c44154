import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { type AsyncMusic, type Journal, memoryJournal, settleOutcome } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { test } from "async-music/emulator/vitest";
import { describe, expect, onTestFinished, vi } from "vitest";
import * as hono from "../../examples/hono/app.js";
import { createFolder } from "../support/folder.js";
import { environment } from "./support/run-example.js";

interface Express {
  createApp(client: AsyncMusic, journal: Journal): RequestListener;
  resumeOrders(client: AsyncMusic, journal: Journal): Promise<void>;
}

/** Sends a request for the order `1`, or for a path below it. */
type Send = (path?: string, init?: RequestInit) => Promise<Response>;

// JavaScript, without types.
const express: Express = await import(resolve("examples/express/app.mjs"));

async function startExpress(client: AsyncMusic, journal: Journal): Promise<Send> {
  const server = createServer(express.createApp(client, journal)).listen(0);
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return (path = "", init = {}) => fetch(`http://127.0.0.1:${port}/songs/1${path}`, init);
}

async function startHono(client: AsyncMusic, journal: Journal): Promise<Send> {
  const app = hono.createApp(client, journal);
  return async (path = "", init = {}) => app.request(`/songs/1${path}`, init);
}

async function put(send: Send, description = "rain in Lisbon") {
  const response = await send("", { method: "PUT", body: JSON.stringify({ description }) });
  return { status: response.status, location: response.headers.get("Location"), text: await response.text() };
}

const statusOf = async (send: Send) => (await send()).json();

const becomesReady = (send: Send) =>
  vi.waitFor(async () => expect(await statusOf(send)).toMatchObject({ status: "ready" }), 60_000);

/** The calls of `console.error`, which writes nothing until the test ends. */
function watchLog() {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  return log;
}

const loseResponse = ({ faults }: Emulator) =>
  faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });

describe.each([
  ["Hono", startHono, "TaskFailedError", { error: "no such order" }],
  ["Express", startExpress, "content_moderation", { status: "unknown" }],
])("the server with %s", (_, start, reason, unknown) => {
  test("responds to an order with a 202, and has its song later", async ({ client, emulator }) => {
    emulator.providers.provider_a.next({ outcome: "success", queue_seconds: 60, process_seconds: 60 });
    const send = await start(client, memoryJournal());
    expect((await send()).status).toBe(404);
    expect(await put(send)).toMatchObject({ status: 202, location: "/songs/1" });
    await becomesReady(send);
    expect(await statusOf(send)).toMatchObject({ clips: [{ audio_url: expect.any(String) }, {}] });
  });

  test("creates one song for repeated orders, even after a restart", async ({ client, emulator }) => {
    const journal = memoryJournal();
    const sends = await Promise.all([1, 2, 3].map(() => start(client, journal)));
    const answers = await Promise.all(sends.map((send) => put(send)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(emulator.state().tasks).toHaveLength(1);
  });

  test("streams the progress of an order until it has ended", async ({ client }) => {
    const send = await start(client, memoryJournal());
    expect((await send("/events")).status).toBe(404);
    await put(send);
    const events = await send("/events");
    expect(events.headers.get("Content-Type")).toBe("text/event-stream");
    const messages = (await events.text()).split("\n\n").filter((message) => message.startsWith("data: "));
    const seen = messages.map((message) => JSON.parse(message.replace("data: ", "")));
    const progress = seen.map((each) => each.progress);
    expect(progress).toEqual(progress.toSorted((one, other) => one - other));
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.at(-1)).toEqual({ status: "success", progress: 1 });
  });

  test("refuses invalid and other orders, and has the reason of a failure", async ({ client, emulator }) => {
    const send = await start(client, memoryJournal());
    expect(await put(send, " ")).toMatchObject({ status: 400 });
    emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
    await put(send);
    expect(await put(send, "snow")).toMatchObject({ status: 409 });
    const failed = { status: "failed", reason };
    await vi.waitFor(async () => expect(await statusOf(send)).toEqual(failed), 60_000);
  });

  test("reports an unknown outcome, and continues once it is settled", async ({ client, emulator }) => {
    const journal = memoryJournal();
    const send = await start(client, journal);
    watchLog();
    loseResponse(emulator);
    const text = expect.stringContaining("SubmissionOutcomeUnknownError");
    expect(await put(send)).toMatchObject({ status: 503, text });
    expect(await statusOf(send)).toEqual(unknown);
    await settleOutcome(journal, "1", emulator.state().tasks[0]?.task_id ?? null);
    expect(await put(send)).toMatchObject({ status: 202 });
    expect((await send("/events")).status).toBe(200);
    await becomesReady(send);
  });
});

test("the server with Hono says when to ask for a pending order again", async ({ client }) => {
  const send = await startHono(client, memoryJournal());
  await put(send);
  const pending = await send();
  expect([await pending.json(), pending.headers.get("Retry-After")]).toEqual([{ status: "pending" }, "5"]);
});

describe("the server with Express, which reads the journal", () => {
  /** As a process leaves an order that ends before its song. */
  async function leaveOpen(client: AsyncMusic): Promise<Journal> {
    const journal = memoryJournal();
    const input = { gpt_description_prompt: "rain in Lisbon" };
    const request = { model: "provider_a", task_type: "music", input } as const;
    await client.tasks.run(request, { journal, journalKey: "1", maxWaitMs: 1 }).catch(() => {});
    return journal;
  }

  test("refuses an order that is not JSON", async ({ client }) => {
    const send = await startExpress(client, memoryJournal());
    expect((await send("", { method: "PUT", body: "{" })).status).toBe(400);
  });

  test("ends the polling when the page is closed", async ({ client, emulator }) => {
    const send = await startExpress(client, await leaveOpen(client));
    emulator.faults.add({ method: "GET", fault: { kind: "stall" } });
    const watch = vi.spyOn(client.tasks, "watch");
    const page = new AbortController();
    const events = send("/events", { signal: page.signal }).catch(() => {});
    await vi.waitFor(() => expect(emulator.faults.list()).toEqual([]), 60_000);
    const signal = watch.mock.calls[0]?.[1]?.signal;
    expect(signal?.aborted).toBe(false);
    page.abort();
    await events;
    await vi.waitFor(() => expect(signal?.aborted).toBe(true), 60_000);
  });

  test("knows and continues an order after a restart, without another PUT", async ({ client, emulator }) => {
    const journal = await leaveOpen(client);
    const send = await startExpress(client, journal);
    const pending = await send();
    expect([await pending.json(), pending.headers.get("Retry-After")]).toEqual([{ status: "pending" }, "5"]);
    await emulator.clock.advance(1000);
    await express.resumeOrders(client, journal);
    await becomesReady(send);
    expect(emulator.state().tasks).toHaveLength(1);
  });

  test("logs an order after a restart whose outcome is unknown", async ({ client, emulator }) => {
    const journal = memoryJournal();
    const send = await startExpress(client, journal);
    loseResponse(emulator);
    const log = watchLog();
    await put(send);
    await express.resumeOrders(client, journal);
    const line = expect.stringMatching(/^1: settle request \S+$/);
    await vi.waitFor(() => expect(log).toHaveBeenCalledWith(line), 60_000);
  });

  test("runs an order later that another process may be sending", async ({ client, emulator }) => {
    const journal = await leaveOpen(client);
    const { request, revision } = (await journal.get("1")) ?? expect.fail("The order is not in the journal");
    const at = new Date(emulator.clock.now()).toISOString();
    const intent = { state: "intent", revision: "1", request, request_id: "of-another", at } as const;
    await journal.put("1", { ...intent, tasks_created: 0 }, revision);
    const log = watchLog();
    const run = vi.spyOn(client.tasks, "run");
    await express.resumeOrders(client, journal);
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(2), 60_000);
    expect(log).not.toHaveBeenCalled();
    await emulator.clock.advance(120_000);
    await vi.waitFor(() => expect(log).toHaveBeenCalledWith("1: settle request of-another"), 60_000);
  });

  test("continues its orders when it is killed and started again", async () => {
    const emulator = createEmulator({ clock: "real" });
    emulator.providers.provider_a.always({ polls: 1 });
    await using service = await serve(emulator);
    const cwd = await createFolder();
    const connection = { ASYNC_MUSIC_API_KEY: emulator.apiKey, ASYNC_MUSIC_BASE_URL: service.url };
    const startProcess = async () => {
      const env = { ...environment, PORT: "0", ...connection };
      const server = spawn(process.execPath, [resolve("examples/express/main.mjs")], { cwd, env });
      const [output] = await once(server.stdout, "data");
      const song = `http://127.0.0.1:${/\d+/.exec(String(output))?.[0]}/songs/1`;
      const kill = async () => {
        server.kill("SIGKILL");
        await once(server, "exit");
      };
      return { send: (path = "", init = {}) => fetch(song + path, init), kill };
    };
    const first = await startProcess();
    expect(await put(first.send)).toMatchObject({ status: 202 });
    await first.kill();
    const second = await startProcess();
    const hasSong = async () =>
      expect(await statusOf(second.send)).toMatchObject({ status: "ready", clips: [{}, {}] });
    await vi.waitFor(hasSong, { timeout: 60_000, interval: 500 });
    await second.kill();
    expect(emulator.state().tasks).toHaveLength(1);
  });
});

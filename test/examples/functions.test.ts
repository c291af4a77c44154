import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import {
  AsyncMusic,
  type Journal,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  settleNotCreated,
} from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, onTestFinished, test, vi } from "vitest";
import { orderSong } from "../../examples/functions/order.js";
import { showSong } from "../../examples/functions/page.js";
import { createFolder } from "../support/folder.js";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`;

/** The service, the example's server, and a relay, each in a process or on a port of its own. */
async function startShop() {
  const emulator = createEmulator({ clock: "real" });
  const { url, close } = await serve(emulator);
  onTestFinished(close);
  const cwd = await createFolder();
  const env = {
    ...process.env,
    npm_command: undefined,
    PORT: "0",
    ASYNC_MUSIC_BASE_URL: url,
    ASYNC_MUSIC_API_KEY: emulator.apiKey,
    ASYNC_MUSIC_WEBHOOK_SECRET: SECRET,
  };
  const start = (script: string, ...flags: string[]) => {
    const child = spawn(process.execPath, [resolve(script), ...flags], { cwd, env });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stderr.resume();
    return child;
  };
  const server = start("examples/functions/main.ts");
  const [line] = await once(server.stdout, "data");
  const address = `http://127.0.0.1:${/\d+$/.exec(String(line).trim())?.[0]}`;
  const relay = start(
    "dist/cli.js",
    "relay",
    "--journal",
    "songs.journal",
    "--webhook",
    `${address}/webhook`,
  );
  const order = async (description: string, id = "order-1") => {
    const body = JSON.stringify({ order: id, description });
    const response = await fetch(`${address}/songs`, { method: "POST", body });
    return { status: response.status, body: await response.json() };
  };
  return { emulator, address, relay, order };
}

const pageOf = async (address: string) => (await fetch(`${address}/songs/order-1`)).text();

test("a function orders a song and ends; the relay delivers it, and the page shows it", async () => {
  const { emulator, address, relay, order } = await startShop();
  emulator.providers.provider_a.next({ outcome: "success", queue_seconds: 0, process_seconds: 1 });
  expect(await order("rain in Lisbon")).toEqual({ status: 202, body: { page: "/songs/order-1" } });
  expect(await pageOf(address)).toContain("Your song is being made.");
  expect(await order("rain in Lisbon")).toMatchObject({ status: 202 });
  expect(await order("snow in Porto")).toEqual({
    status: 400,
    body: { error: "This order has another description already." },
  });
  expect(await order("snow in Porto", "")).toEqual({ status: 400, body: { error: "no order ID" } });
  await vi.waitFor(async () => expect(await pageOf(address)).toContain("<audio"), 60_000);
  expect(emulator.state().tasks).toHaveLength(1);
  const ended = once(relay, "exit");
  relay.kill("SIGTERM");
  expect((await ended)[0]).toBe(0);
});

test("a failure reaches the page, and a post with another signature does not", async () => {
  const { emulator, address, order } = await startShop();
  const forged = await fetch(`${address}/webhook`, { method: "POST", body: '{"data":{"key":"order-1"}}' });
  expect(forged.status).toBe(401);
  emulator.providers.provider_a.next({
    outcome: "failure",
    process_seconds: 0,
    error_code: "content_moderation",
  });
  expect((await order("rain")).status).toBe(202);
  await vi.waitFor(async () => expect(await pageOf(address)).toContain("There is no song"), 60_000);
});

test("while a song may be charged, a user does not order it again, and a lost request can be settled", async () => {
  const emulator = createEmulator();
  const client = new AsyncMusic(emulator.connection());
  const journal = memoryJournal();
  const order = async () => {
    const body = JSON.stringify({ order: "order-1", description: "rain" });
    const response = await orderSong(client, journal, new Request("http://shop/", { method: "POST", body }));
    return [response.status, (await response.json()).error];
  };
  const working = "We are still working on your song. Do not order it again.";
  emulator.faults.add({ method: "POST", fault: { kind: "status", status: 401, when: "before" } });
  expect(await order()).toEqual([503, "Try the same order again later."]);
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "before" } });
  expect(await order()).toEqual([503, working]);
  await emulator.clock.advance(300_000);
  expect(await order()).toEqual([503, working]);
  expect(await settleNotCreated(client, journal, { journalKeys: ["order-1"] })).toEqual([]);
  expect(await order()).toEqual([202, undefined]);
  expect(emulator.state().tasks).toHaveLength(1);

  // The result of a success is unusable.
  const error = { name: "InvalidResponseError", message: "The result is missing." };
  const end = { key: "order-1", task_id: "task", task: null, error };
  expect(await showSong(new Map([["order-1", end]]), "order-1").text()).toContain(working);
});

test("an order whose earlier call was killed is not ordered again while the function lives", async () => {
  const emulator = createEmulator({ clock: "real" });
  const journal = memoryJournal();
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => logged.mockRestore());
  const order = () =>
    orderSong(new AsyncMusic(emulator.connection()), { ...journal }, post({ order: "order-1" }));
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  for (let call = 0; call < 2; call++) {
    const response = await order();
    expect([response.status, await response.json()]).toEqual([
      503,
      { error: "We are still working on your song. Do not order it again." },
    ]);
    expect(logged.mock.lastCall?.[0]).toBeInstanceOf(SubmissionOutcomeUnknownError);
  }
  expect(emulator.state().tasks).toHaveLength(1);
});

test("a task that the journal could not record is settled", async () => {
  const client = new AsyncMusic(createEmulator().connection());
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => logged.mockRestore());
  const inner = memoryJournal();
  let failures = 2;
  const put: Journal["put"] = async (key, entry, previous) => {
    if (entry.state === "submitted" && failures-- > 0) throw new Error("away");
    return inner.put(key, entry, previous);
  };
  expect((await orderSong(client, { ...inner, put }, post({ order: "order-1" }))).status).toBe(202);
  expect(await inner.get("order-1")).toMatchObject({ state: "submitted" });
});

test.each(["null", "[]", "{}", "", "rain", '{"order":5}'])("the body %j is refused", async (body) => {
  const client = new AsyncMusic(createEmulator().connection());
  const response = await orderSong(
    client,
    memoryJournal(),
    new Request("http://shop/", { method: "POST", body }),
  );
  expect(response.status).toBe(400);
});

const post = (fields: object) =>
  new Request("http://shop/", { method: "POST", body: JSON.stringify({ description: "rain", ...fields }) });

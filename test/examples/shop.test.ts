import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { Pool } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { connection } from "../postgres/connections.js";
import { createFolder } from "../support/folder.js";
import { listen, reply, type Treatment } from "../support/loopback.js";

/** The orders of each customer, one after the other. A song costs 10 credits, and each customer may spend 40. */
const ORDERS = ["acme", "bravo", "coral", "acme", "bravo", "coral", "acme", "bravo", "acme", "bravo", "acme"];
const FAILED = "coral 5";
const REFUSED = "acme 10";

test("each order of the shop is one charged and stored song, though both processes are killed", async () => {
  const { emulator, start, startWeb, pool, folder } = await startService();
  expect(await once(start("setup.ts"), "exit")).toEqual([0, null]);
  const [web, address] = await startWeb();
  const worker = start("worker.ts");
  // One song can't be stored at first: that must not stop the others.
  emulator.faults.add({ path: "/audio/*", fault: { kind: "status", status: 404, when: "before" } });

  const responses = new Map<string, Response>();
  for (const [index, tenant] of ORDERS.entries()) {
    const description = `${tenant} ${index}`;
    emulator.providers.provider_a.next(
      description === FAILED
        ? { outcome: "failure", process_seconds: 0, error_code: "content_moderation" }
        : { outcome: "success", queue_seconds: 0, process_seconds: index < 4 ? 0 : 6 },
    );
    responses.set(description, await order(address, tenant, description));
    // The form is sent twice.
    if (index === 0) await order(address, tenant, description);
  }
  const statuses = [...responses].map(([description, { status }]) => [description, status]);
  expect(statuses).toEqual(statuses.map(([name]) => [name, name === REFUSED ? 402 : 303]));
  expect(await responses.get(REFUSED)?.text()).toContain("The song costs 10 credits, and 0 of 40 are left.");

  await vi.waitFor(async () => expect(await countOf(pool, "done")).toBeGreaterThan(0), 60_000);
  expect(await countOf(pool, "unstored")).toBe(1);
  await kill(worker);
  await kill(web);
  expect(await countOf(pool, "making")).toBeGreaterThan(0);
  // As if the web server had been killed before it stored that these orders are submitted, and before it submitted another one.
  await pool.query("UPDATE shop_orders SET state = 'new', task_id = NULL WHERE state = 'making'");
  emulator.providers.provider_a.next({ outcome: "success", queue_seconds: 0, process_seconds: 0 });
  await pool.query(
    "INSERT INTO shop_orders (id, tenant, description) VALUES ('left', 'coral', 'coral left')",
  );
  const [secondWeb, secondAddress] = await startWeb();
  const secondWorker = start("worker.ts");
  await vi.waitFor(async () => expect(await countOf(pool, "new", "making", "unstored")).toBe(0), 120_000);

  await checkOrders(pool, emulator, folder);
  await checkPages(secondAddress, chargesOf(emulator));
  expect(emulator.audit()).toEqual([]);
  const ended = once(secondWorker, "exit");
  secondWorker.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await kill(secondWeb);
});

test("a charged song with an unusable result is stored later, and no customer reads an error's message", async () => {
  let isBroken = true;
  let isOtherWorkerFaster = false;
  let reads = 0;
  const { emulator, start, startWeb, pool } = await startService(async (path, text) => {
    if (!isBroken || !path.includes("/task/")) return text;
    reads++;
    if (isOtherWorkerFaster)
      await pool.query("UPDATE shop_orders SET state = 'done' WHERE state = 'unstored'");
    return text.replaceAll('"audio_url"', '"sound_url"');
  });
  await once(start("setup.ts"), "exit");
  const [, address] = await startWeb();
  start("worker.ts");
  const page = async () => (await fetch(`${address}/acme`)).text();
  const waitForState = (state: string, count: number) =>
    vi.waitFor(async () => expect(await countOf(pool, state)).toBe(count), 60_000);

  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 0, process_seconds: 0 });
  for (const error_code of ["content_moderation", "upstream_provider_error"] as const) {
    emulator.providers.provider_a.next({ outcome: "failure", process_seconds: 0, error_code });
    await order(address, "acme", error_code);
    await waitForState("failed", error_code === "content_moderation" ? 1 : 2);
  }
  emulator.faults.add({ method: "POST", fault: { kind: "status", status: 400, when: "before" } });
  expect((await order(address, "acme", "refused")).status).toBe(402);
  await order(address, "acme", "rain");
  await waitForState("unstored", 1);
  expect(await page()).toContain("Spent: 10, reserved: 0");
  const notes = [...(await page()).matchAll(/<li>(\w+): (.*?) <\/li>/g)].map(([, , note]) => note);
  expect(notes).toEqual([
    "unstored We are still working on your song. Do not order it again.",
    "refused Describe the song in other words.",
    "failed The song failed and was not charged. Order it again.",
    "failed Describe the song in other words.",
  ]);

  // As if another worker had stored the song while this one fails.
  isOtherWorkerFaster = true;
  await waitForState("done", 1);
  isOtherWorkerFaster = false;
  await pool.query(
    "INSERT INTO shop_orders (id, tenant, description, state, task_id) SELECT 'next', tenant, description, 'unstored', task_id FROM shop_orders WHERE state = 'done'",
  );
  const readsBefore = reads;
  await vi.waitFor(() => expect(reads).toBeGreaterThan(readsBefore), 60_000);
  expect([await countOf(pool, "done"), await countOf(pool, "unstored")]).toEqual([1, 1]);
  isBroken = false;
  await waitForState("done", 2);
});

test("on SIGTERM, a worker leaves the orders that it waits for to other workers at once", async () => {
  const { emulator, start, startWeb, pool } = await startService();
  await once(start("setup.ts"), "exit");
  const [, address] = await startWeb();
  const worker = start("worker.ts");
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 600, process_seconds: 0 });
  await order(address, "acme", "rain");
  const followers = async () =>
    (await pool.query("SELECT entry->'follower' AS follower FROM async_music_journal")).rows;
  await vi.waitFor(async () => expect(await followers()).toEqual([{ follower: expect.anything() }]), 60_000);
  const ended = once(worker, "exit");
  worker.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(await followers()).toEqual([{ follower: null }]);
});

/** Each accepted order is one task, which the ledger charges once, or refunds; and each charged song is stored. */
async function checkOrders(pool: Pool, emulator: Emulator, folder: string) {
  const { rows } = await pool.query("SELECT description, state, task_id FROM shop_orders");
  const states = [...ORDERS.map((tenant, index) => `${tenant} ${index}`), "coral left"].map(
    (name) => `${name} ${name === FAILED ? "failed" : name === REFUSED ? "refused" : "done"}`,
  );
  expect(rows.map(({ description, state }) => `${description} ${state}`).sort()).toEqual(states.sort());

  const { tasks } = emulator.state();
  const accepted = rows.filter(({ state }) => state !== "refused").map(({ description }) => description);
  expect(tasks.map(({ input }) => input?.["gpt_description_prompt"]).sort()).toEqual(accepted.sort());
  const done = rows.filter(({ state }) => state === "done").map(({ task_id }) => String(task_id));
  expect(idsOf(emulator, "freeze")).toEqual(tasks.map(({ task_id }) => task_id).sort());
  expect(idsOf(emulator, "settle")).toEqual(done.sort());
  for (const id of done) expect(await readdir(join(folder, "songs", id))).toContain("song.json");
}

/** The page of each customer shows what the ledger says, and plays the songs. */
async function checkPages(address: string, charges: ReadonlyMap<string, number>) {
  expect([...charges.keys()].sort()).toEqual(["acme", "bravo", "coral"]);
  for (const [tenant, credits] of charges) {
    const page = await (await fetch(`${address}/${tenant}`)).text();
    expect(page).toContain(`Spent: ${credits}, reserved: 0, of 40 credits`);
    const players = [...page.matchAll(/<audio controls src="([^"]+)"/g)];
    expect(players.length).toBeGreaterThanOrEqual(credits / 10);
    const audio = await fetch(`${address}${players[0]?.[1]}`);
    expect(audio.headers.get("Content-Type")).toMatch(/^audio\//);
    expect((await audio.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  }
}

type Emulator = ReturnType<typeof createEmulator>;

function ledgerOf(emulator: Emulator) {
  return emulator.accounts.list().flatMap(({ ledger }) => ledger);
}

/** The tasks of the entries of a kind. */
function idsOf(emulator: Emulator, kind: string): string[] {
  return ledgerOf(emulator)
    .filter((entry) => entry.kind === kind)
    .map(({ task_id }) => String(task_id))
    .sort();
}

/** What the ledger has charged for each customer, whose name begins the description of a song. */
function chargesOf(emulator: Emulator): Map<string, number> {
  const charges = new Map<string, number>();
  for (const { kind, credits, task_id } of ledgerOf(emulator)) {
    if (kind !== "settle") continue;
    const task = emulator.state().tasks.find((each) => each.task_id === task_id);
    const [tenant = ""] = String(task?.input?.["gpt_description_prompt"]).split(" ");
    charges.set(tenant, (charges.get(tenant) ?? 0) + Math.abs(credits));
  }
  return charges;
}

/**
 * The service on loopback, a database and a folder, and what starts the processes of the shop. With `change`, a proxy that changes
 * the JSON of the service.
 */
async function startService(change?: (path: string, text: string) => Promise<string>) {
  const emulator = createEmulator({ clock: "real" });
  const { url: origin, close } = await serve(emulator);
  onTestFinished(close);
  const { url } = change === undefined ? { url: origin } : await startProxy(origin, change);
  const { host, user } = connection();
  const database = `shop_${process.pid}_${Date.now()}`;
  const server = new Pool(connection());
  await server.query(`CREATE DATABASE ${database}`);
  await server.end();
  const pool = new Pool({ ...connection(), database });
  onTestFinished(() => pool.end());
  const folder = await createFolder();
  const env = {
    ...process.env,
    ASYNC_MUSIC_BASE_URL: url,
    ASYNC_MUSIC_API_KEY: emulator.apiKey,
    DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`,
    SONGS_DIRECTORY: folder,
    PORT: "0",
    POLL_MS: "1000",
    // At the start only, unless the service responds with unusable results.
    STORE_MS: change === undefined ? "3600000" : "1000",
  };
  const start = (script: string) => {
    const flags = ["--import", "./tools/loader/run-sources.ts", `examples/shop/${script}`];
    const child = spawn(process.execPath, flags, { env, stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => kill(child));
    return child;
  };
  const startWeb = async (): Promise<[ChildProcess, string]> => {
    const child = start("web.ts");
    const [line] = await once(child.stdout, "data");
    return [child, `http://127.0.0.1:${/\d+$/.exec(String(line).trim())?.[0]}`];
  };
  return { emulator, start, startWeb, pool, folder };
}

function startProxy(origin: string, change: (path: string, text: string) => Promise<string>) {
  const respond: Treatment = async (response, { method, path, headers, body }) => {
    const names = ["x-api-key", "content-type", "x-request-id"];
    const sent = names.flatMap((name) =>
      headers[name] === undefined ? [] : [[name, String(headers[name])]],
    );
    const init = { method, headers: Object.fromEntries(sent), ...(method === "POST" && { body }) };
    const received = await fetch(`${origin}${path}`, init);
    const text = await change(path, await received.text());
    reply(response, received.status, text, { "X-Request-Id": received.headers.get("X-Request-Id") ?? "" });
  };
  return listen((...exchange) => void respond(...exchange));
}

function order(address: string, tenant: string, description: string): Promise<Response> {
  const body = new URLSearchParams({ id: `id of ${description}`, description });
  return fetch(`${address}/${tenant}`, { method: "POST", body, redirect: "manual" });
}

async function countOf(pool: Pool, ...states: string[]): Promise<number> {
  const { rows } = await pool.query("SELECT FROM shop_orders WHERE state = ANY($1)", [states]);
  return rows.length;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

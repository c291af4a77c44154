import { readdirSync, readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AsyncMusic, type JournalRecord, type OrderDelivery, settleOutcome } from "async-music";
import { fileJournal } from "async-music/node";
import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { nextTry } from "../../cli/relay/schedule.js";
import { stored } from "../../cli/relay/store.js";
import { withClockStopped } from "../../src/time/stopped-clock.js";
import { unwatch } from "../lifecycle/begun.js";
import { aborted } from "../support/aborted.js";
import { held } from "../support/collect.js";
import { SONG_REQUEST } from "../support/responses.js";
import { createFolder, createTerminal, expectOneLine, useTerminal } from "./support/terminal.js";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`;
const OTHER_SECRET = `whsec_${Buffer.from("another one of thirty-two bytes.").toString("base64")}`;
const URL_OF_SHOP = "https://shop.example/songs?token=t0ken";
const HOUR_MS = 3_600_000;

const its = useTerminal();
const systemNow = Date.now;

interface Post {
  url: string;
  id: string;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
  at: number;
}

/** A shop that receives posts. `respond` decides about each; by default it accepts all. */
function createShop(secret = SECRET) {
  const posts: Post[] = [];
  const shop = {
    posts,
    respond: (_post: Post): Response | Promise<Response> => new Response("ok"),
    /** Changes the responses of the service. */
    change: null as ((body: { data: object }) => object) | null,
    keys: () => posts.map(({ body }) => body.data["key"]),
    async receive(request: Request): Promise<Response> {
      const { now } = its.emulator.clock;
      const text = await request.text();
      // The library compares the timestamp with the system's clock.
      vi.setSystemTime(now());
      const verified = new Webhook(secret).verify(text, Object.fromEntries(request.headers));
      vi.setSystemTime(systemNow());
      expect([request.method, request.redirect]).toEqual(["POST", "manual"]);
      const id = request.headers.get("webhook-id") ?? "";
      const post = { url: request.url, id, body: verified as Post["body"], at: now() };
      posts.push(post);
      return shop.respond(post);
    },
  };
  return shop;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  return () => vi.useRealTimers();
});

/** A terminal in which `relay` reaches the shop and the service. */
function terminalOf(shop: ReturnType<typeof createShop>, env: Record<string, string> = {}) {
  const { fetch, ...rest } = its.emulator.connection();
  const routed: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (new URL(request.url).host === "shop.example") return shop.receive(request);
    const response = await fetch(request);
    return shop.change === null ? response : Response.json(shop.change(await response.json()), response);
  };
  return createTerminal(
    { connection: () => ({ ...rest, fetch: routed }) },
    { env: { ASYNC_MUSIC_WEBHOOK_SECRET: SECRET, ...env } },
  );
}

/** Starts a relay; `stop` ends it as Ctrl-C does. */
function startRelay(shop: ReturnType<typeof createShop>, flags: string[] = [], env?: Record<string, string>) {
  const terminal = terminalOf(shop, env);
  const ended = terminal.run("relay", "--journal", its.journal, "--webhook", URL_OF_SHOP, ...flags);
  const stop = async () => {
    terminal.signal("SIGTERM");
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  return { stop, ended };
}

const list = (...flags: string[]) => its.run("relay", "--journal", its.journal, "--list", ...flags);

const submit = (key: string) => {
  const client = new AsyncMusic(its.emulator.connection());
  const request = { model: "provider_a", task_type: "lyrics", input: { prompt: key } } as const;
  // Otherwise the time of a relay that runs already would skip ahead while the file is written.
  const created = client.tasks.create(request, { journal: fileJournal(its.journal), journalKey: key });
  return withClockStopped(its.emulator.clock, created);
};

const entry = async (key: string) => (await fileJournal(its.journal).get(key)) as JournalRecord;

/** Replaces fields of an entry, as another process does. */
async function change(key: string, fields: Partial<JournalRecord>): Promise<void> {
  const found = await entry(key);
  const changed = { ...found, ...fields, revision: crypto.randomUUID() };
  // A relay may have replaced the entry meanwhile.
  if (!(await fileJournal(its.journal).put(key, changed, found.revision))) await change(key, fields);
}

const now = () => new Date(its.emulator.clock.now()).toISOString();

/** Advances the time until something holds. */
async function until(holds: () => unknown): Promise<void> {
  for (let step = 0; step < 500; step++) {
    if (await holds()) return;
    await its.emulator.clock.advance(1000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error("It never came true.");
}

describe("relay", () => {
  test("posts how each order ended, signed by Standard Webhooks, and acknowledges it after a 2xx", async () => {
    const shop = createShop();
    const { task_id } = await submit("sea");
    const { stop } = startRelay(shop);
    await until(async () => (await entry("sea")).acknowledged);
    const [post] = shop.posts;
    expect(post).toMatchObject({ url: URL_OF_SHOP, id: `msg_${task_id}` });
    const { type, timestamp, data } = Object(post).body;
    expect([type, timestamp]).toEqual(["order.succeeded", data.task.completed_at]);
    expect(data).toMatchObject({ key: "sea", task_id, task: { status: "success" }, error: null });
    expect(await entry("sea")).toMatchObject({ status: "success", acknowledged: true });
    expect(await stop()).toEqual({
      status: 0,
      stdout: `sea msg_${task_id}\n`,
      stderr: "Relaying the ends of orders to shop.example.\n",
    });
    expect(shop.posts).toHaveLength(1);
  });

  test("posts no order with the API key of another account, and says so", async () => {
    const shop = createShop();
    await submit("sea");
    const { api_key: key } = its.emulator.accounts.create();
    const { stop } = startRelay(shop, [], { ASYNC_MUSIC_API_KEY: key });
    await until(() => its.emulator.requests.filter(({ status }) => status === 404).length >= 3);
    const { status, stderr } = await stop();
    expect([status, shop.posts]).toEqual([0, []]);
    expect(stderr.match(/Order "sea", and each like it, is not delivered/g)).toHaveLength(1);
    expect(await entry("sea")).not.toHaveProperty("acknowledged");
  });

  test("posts failures with their task, and orders that are submitted later", async () => {
    const shop = createShop();
    const { stop } = startRelay(shop);
    its.emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
    await submit("refused");
    await until(() => shop.posts.length === 1);
    expect(shop.posts[0]?.body).toMatchObject({
      type: "order.failed",
      data: {
        key: "refused",
        task: { status: "failure", error_code: "content_moderation" },
        error: { name: "TaskFailedError", message: expect.stringContaining("content_moderation") },
      },
    });
    expect((await stop()).stderr).toContain(`There is no journal at ${its.journal} yet.`);
  });

  test("posts a result that cannot be read as failed, although its task succeeded and is charged", async () => {
    const shop = createShop();
    shop.change = (body) => {
      const isSuccess = Reflect.get(body.data, "status") === "success";
      return isSuccess ? { ...body, data: { ...body.data, output: null } } : body;
    };
    await submit("sea");
    startRelay(shop);
    await until(async () => (await entry("sea")).acknowledged);
    expect(shop.posts.map(({ body }) => body)).toMatchObject([
      { type: "order.failed", data: { task: null, error: { name: "InvalidResponseError" } } },
    ]);
    expect(await entry("sea")).toMatchObject({ status: "success" });
    const [account] = its.emulator.state().accounts;
    expect(account?.ledger.map(({ kind }) => kind)).toEqual(["top_up", "freeze", "settle"]);
  });

  test("posts no API key that the service echoes in a task", async () => {
    const shop = createShop();
    const { apiKey } = its.emulator;
    shop.change = ({ data }) => ({
      code: 200,
      data: { ...data, debug: { headers: { "x-api-key": apiKey } } },
    });
    await submit("rain");
    const { stop } = startRelay(shop);
    await until(() => shop.posts.length === 1);
    await stop();
    expect(shop.posts[0]?.body.data["task"]).toMatchObject({
      debug: { headers: { "x-api-key": "[redacted]" } },
    });
    expect(JSON.stringify(shop.posts)).not.toContain(apiKey);
  });

  test("tries again with growing pauses, gives up, and lists the order", async () => {
    const shop = createShop();
    shop.respond = () => new Response("no", { status: 500 });
    await submit("sea");
    const { stop } = startRelay(shop);
    await until(async () => (await entry("sea")).delivery?.tries === 3);
    const pauses = shop.posts.slice(1, 3).map(({ at }, index) => (at - (shop.posts[index]?.at ?? 0)) / 1000);
    // The test's random number makes each pause as short as it can be; the journal is read every 5 s.
    for (const [index, shortest] of [4, 12].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(shortest);
      expect(pauses[index]).toBeLessThan(shortest + 7);
    }
    expect(await entry("sea")).toMatchObject({ status: "success", acknowledged: false });
    expect((await stop()).stderr).toMatch(
      /^async-music: Order "sea" was not delivered, try 1: HTTP 500\. The next try is at 2026-/m,
    );
    await change("sea", { delivery: { tries: 14, next_at: now(), last_error: "HTTP 500" } });
    const { length } = shop.posts;
    const last = startRelay(shop);
    await until(async () => (await entry("sea")).delivery?.next_at === null);
    await its.emulator.clock.advance(HOUR_MS);
    expect(shop.posts).toHaveLength(length + 1);
    expect(new Set(shop.posts.map(({ id }) => id)).size).toBe(1);
    expect(new Set(shop.posts.map(({ body }) => JSON.stringify(body))).size).toBe(1);

    const { status, stderr } = await last.stop();
    const [, failure, ...more] = stderr.trim().split("\n");
    expect([status, more]).toEqual([0, []]);
    expect(failure).toContain(
      "Gave up after 15 tries: `relay --list` lists the order, and `--retry` tries it again.",
    );
    expect(stderr).not.toContain("t0ken");
    const listed = await list();
    expect(listed.stdout).toMatch(/^sea {2}gave up {2}2026-\S+ {2}task \S+ {2}try 15: HTTP 500\n$/);
    expect(listed.stderr).toContain("gave up: a relay has stopped trying. Start one with --retry");

    shop.respond = () => new Response(null, { status: 204 });
    startRelay(shop, ["--retry"]);
    await until(async () => (await entry("sea")).acknowledged);
    expect(shop.posts).toHaveLength(length + 2);
    expect(await list()).toMatchObject({ status: 0, stdout: "", stderr: "Every end was delivered.\n" });
  });

  test("continues the schedule after a restart", async () => {
    const shop = createShop();
    shop.respond = () => new Response("no", { status: 503 });
    await submit("sea");
    const first = startRelay(shop);
    await until(async () => (await entry("sea")).delivery?.tries === 4);
    await first.stop();
    // The time of a relay skips ahead while the test reads the journal, so the first may have tried once more.
    const { tries = 0, next_at = null } = (await entry("sea")).delivery ?? {};
    const { length } = shop.posts;
    const second = startRelay(shop);
    await until(() => shop.posts.length > length);
    expect(shop.posts[length]?.at).toBeGreaterThanOrEqual(Date.parse(next_at ?? ""));
    await until(async () => (await entry("sea")).delivery?.tries === tries + 1);
    expect((await second.stop()).stderr).toContain(`try ${tries + 1}: HTTP 503`);
  });

  test("one order that fails, and one whose post takes long, block no others", async () => {
    const shop = createShop();
    const { given: answered, give: answer } = held<Response>();
    shop.respond = ({ body }) => {
      if (body.data["key"] === "fails") return new Response("no", { status: 400 });
      if (body.data["key"] === "slow") return answered;
      return new Response("ok");
    };
    await submit("fails");
    await submit("slow");
    await submit("good");
    const { stop } = startRelay(shop);
    await until(async () => (await entry("good")).acknowledged && shop.keys().includes("slow"));
    await until(() => shop.keys().includes("fails"));
    expect(await entry("fails")).not.toHaveProperty("acknowledged", true);
    // A post in flight ends before the relay does.
    const ended = stop();
    answer(new Response("ok"));
    expect((await ended).status).toBe(0);
    expect(await entry("slow")).toMatchObject({ acknowledged: true });
  });

  test("follows no redirect", async () => {
    const shop = createShop();
    shop.respond = () => Response.redirect("https://other.example/", 307);
    await submit("sea");
    const { stop } = startRelay(shop);
    await until(async () => (await entry("sea")).delivery);
    expect((await stop()).stderr).toContain("HTTP 307; redirects are not followed");
    expect(await entry("sea")).toMatchObject({
      delivery: { last_error: "HTTP 307; redirects are not followed" },
    });
  });

  test("reports a shop that cannot be reached or does not respond", async () => {
    const shop = createShop();
    shop.respond = () => {
      if (shop.posts.length > 1) return new Promise(() => {});
      throw new TypeError("fetch failed", { cause: Object.assign(new Error(""), { code: "ECONNREFUSED" }) });
    };
    const receive = shop.receive;
    const orAborted = (request: Request) => Promise.race([receive(request), aborted(request)]);
    await submit("sea");
    const { stop } = startRelay({ ...shop, receive: orAborted }, ["--timeout", "0.0499999s"]);
    await until(async () => (await entry("sea")).delivery?.tries === 2);
    const { stderr } = await stop();
    expect(stderr).toContain("try 1: ECONNREFUSED.");
    expect(stderr).toContain("try 2: no response within 0.05 s.");
  });

  test("two relays share the work, and each end is posted once", async () => {
    const shop = createShop();
    const keys = Array.from({ length: 8 }, (_, index) => `order-${index}`);
    for (const key of keys) await submit(key);
    const relays = [startRelay(shop), startRelay(shop)];
    await until(async () => (await list()).stdout === "");
    expect(shop.keys().sort()).toEqual(keys);
    for (const { stop } of relays) expect((await stop()).status).toBe(0);
  });

  test("signs with both secrets while one is replaced", async () => {
    for (const secret of [SECRET, OTHER_SECRET]) {
      const shop = createShop(secret);
      const key = `for ${secret.length} ${secret}`;
      await submit(key);
      const { stop } = startRelay(shop, [], { ASYNC_MUSIC_WEBHOOK_SECRET: `${SECRET} ${OTHER_SECRET}` });
      await until(async () => (await entry(key)).acknowledged);
      expect((await stop()).status).toBe(0);
    }
  });

  test("ends with the status of a refused API key, and acknowledges nothing", async () => {
    await submit("sea");
    const { ended } = startRelay(createShop(), [], { ASYNC_MUSIC_API_KEY: "emu_wrong" });
    expect((await ended).status).toBe(4);
    expect(await entry("sea")).not.toHaveProperty("status");
  });
});

describe("--store", () => {
  /** A module that stores by this code, in a folder of its own. */
  async function moduleOf(code: string) {
    const folder = await createFolder();
    const path = join(folder, "store.mjs");
    await writeFile(path, code);
    return { folder, path };
  }

  test("stores each song before it is posted, and posts what the function returned", async () => {
    const shop = createShop();
    const { folder, path } = await moduleOf(`
      import { writeFileSync } from "node:fs";
      export default async ({ key, deliveryId, task, client }) => {
        await client.account.balance();
        writeFileSync(new URL(key, import.meta.url), task.task_id);
        return { key, deliveryId, files: [key] };
      };`);
    const seen: unknown[] = [];
    shop.respond = ({ body }) => {
      seen.push(readFileSync(join(folder, String(body.data["key"])), "utf8"));
      return new Response();
    };
    const { task_id } = await submit("sea");
    startRelay(shop, ["--store", path]);
    await until(async () => (await entry("sea")).acknowledged);
    const stored = { key: "sea", deliveryId: `msg_${task_id}`, files: ["sea"] };
    expect(shop.posts.map(({ body }) => body.data["stored"])).toEqual([stored]);
    expect(seen).toEqual([task_id]);
  });

  test.each([
    ["rejects", 'throw new Error("the bucket is away")', "the bucket is away"],
    ["returns what JSON can't express", "return 1n", "BigInt"],
  ])("a function that %s lets nothing be posted, and is tried again later", async (_, failure, reason) => {
    const shop = createShop();
    const { path } = await moduleOf(`
      let tries = 0;
      export default () => { tries++; if (tries === 1) { ${failure} } return tries; };`);
    await submit("sea");
    const { stop } = startRelay(shop, ["--store", path]);
    await until(async () => (await entry("sea")).acknowledged);
    const { stderr } = await stop();
    expect(stderr).toContain('Order "sea" was not delivered, try 1: the function of --store failed: ');
    expect(stderr).toContain(reason);
    expect(shop.posts.map(({ body }) => body.data["stored"])).toEqual([2]);
  });

  /** A relay whose function has begun to store an order, and never settles. */
  const startStoring = async (shop: ReturnType<typeof createShop>) => {
    const { path } = await moduleOf(`
      export default () => { process.emit("storing"); return new Promise(() => {}); };`);
    let isStoring = false;
    process.once("storing", () => (isStoring = true));
    await submit("sea");
    const relay = startRelay(shop, ["--store", path, "--timeout", "0.1s"]);
    await until(() => isStoring);
    return relay;
  };

  test("a function that does not settle is left soon after a signal, and its order is tried again later", async () => {
    const shop = createShop();
    const { stop } = await startStoring(shop);
    const { status, stderr } = await stop();
    expect(status).toBe(0);
    const reason =
      "the function of --store failed: it did not settle within 0.1 s after the relay was to end";
    expect(stderr).toContain(`Order "sea" was not delivered, try 1: ${reason}`);
    expect(await entry("sea")).toMatchObject({ delivery: { tries: 1, next_at: expect.any(String) } });
    expect(shop.posts).toEqual([]);
  });

  test("a function that does not settle is left soon after a failure has ended the relay", async () => {
    const shop = createShop();
    const { ended } = await startStoring(shop);
    await submit("rain");
    const { accounts, accountId } = its.emulator;
    const [key] = accounts.get(accountId).keys;
    accounts.updateKey(accountId, String(key?.key_id), { disabled: true });
    const { status, stderr } = await ended;
    expect(status).toBe(4);
    expect(stderr).toContain("it did not settle within 0.1 s after the relay was to end");
  });

  test("a function may take 10 minutes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const order = { key: "sea", deliveryId: "msg_1", entry: Object(null), end: { task: Object(null) } };
    const limits = { signal: new AbortController().signal, graceMs: 15_000 };
    const client = new AsyncMusic(its.emulator.connection());
    const ended = vi.fn();
    const storing = stored(() => new Promise(() => {}), order, client, limits).catch(ended);
    await vi.advanceTimersByTimeAsync(599_000);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2000);
    await storing;
    expect(String(ended.mock.lastCall)).toContain(
      "the function of --store failed: it did not settle within 10 min",
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  test("the module of the guide saves the clips of a song", async () => {
    const [, code = ""] =
      /^```js\n(\/\/ store\.mjs\n[\s\S]*?)^```/m.exec(readFileSync("docs/webhooks.md", "utf8")) ?? [];
    const { path } = await moduleOf(code.replace("`songs/", `\`${its.folder}/songs/`));
    const shop = createShop();
    const client = new AsyncMusic(its.emulator.connection());
    const { task_id } = await withClockStopped(
      its.emulator.clock,
      client.tasks.create(SONG_REQUEST, { journal: fileJournal(its.journal), journalKey: "sea" }),
    );
    startRelay(shop, ["--store", path]);
    await until(async () => (await entry("sea")).acknowledged);
    const files = shop.posts.flatMap(({ body }) => body.data["stored"]);
    expect(files).toEqual([1, 2].map((index) => join(its.folder, "songs", `${task_id}-${index}.wav`)));
    for (const file of files) expect(statSync(String(file)).size).toBeGreaterThan(1000);
  });

  test("is not called for a task that failed", async () => {
    const shop = createShop();
    const { path } = await moduleOf('export default () => { throw new Error("It was called."); };');
    its.emulator.providers.provider_a.always({ outcome: "failure" });
    await submit("sea");
    startRelay(shop, ["--store", path]);
    await until(async () => (await entry("sea")).acknowledged);
    expect(shop.posts.map(({ body }) => [body.type, body.data["stored"]])).toEqual([
      ["order.failed", undefined],
    ]);
  });

  test.each([
    ["a module without a function", "export default 1;", "must have a function as its default export"],
    ["a module with a mistake", "export default (", "could not be loaded"],
  ])("refuses %s before anything is read", async (_, code, message) => {
    const { path } = await moduleOf(code);
    expectOneLine(await startRelay(createShop(), ["--store", path]).ended, 2, message);
  });
});

test("the schedule gives up after 15 tries within three days, before the links to the audio expire", () => {
  const pausesWith = (random: number) => {
    const pauses: number[] = [];
    let at = 0;
    for (let delivery: OrderDelivery | undefined; ; ) {
      delivery = nextTry(delivery, "HTTP 500", { now: at, random: () => random });
      expect(delivery).toMatchObject({ tries: pauses.length + 1, last_error: "HTTP 500" });
      if (delivery.next_at === null) return pauses;
      pauses.push((Date.parse(delivery.next_at) - at) / 1000);
      at = Date.parse(delivery.next_at);
    }
  };
  const longest = 12 * 3600;
  expect(pausesWith(0.5)).toEqual([
    ...[5, 15, 45, 135, 405, 1215, 3645, 10_935, 32_805],
    ...[longest, longest, longest, longest, longest],
  ]);
  const daysOf = (random: number) => pausesWith(random).reduce((sum, pause) => sum + pause, 0) / 86_400;
  expect([daysOf(0) > 2, daysOf(1) < 4]).toEqual([true, true]);
});

describe("relay --list", () => {
  test("names what is unfinished, ended, failing and too old, also as JSON and without an API key", async () => {
    await submit("old");
    await its.emulator.clock.advance(8 * 24 * HOUR_MS);
    for (const key of ["running", "ended", "failing"]) await submit(key);
    const at = now();
    const delivery = { tries: 3, next_at: "2026-01-09T00:10:00.000Z", last_error: "HTTP 500" };
    await change("running", { at });
    await change("ended", { at, status: "success", acknowledged: false });
    await change("failing", { at, status: "failure", acknowledged: false, delivery });
    const offline = createTerminal(its.emulator, { env: { ASYNC_MUSIC_API_KEY: "" } });
    const { status, stdout, stderr } = await offline.run("relay", "--journal", its.journal, "--list");
    expect(status).toBe(0);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
      ["old", "too old"],
      ["ended", "ended"],
      ["failing", "failing"],
      ["running", "unfinished"],
      [""],
    ]);
    expect(stdout).toContain("try 3: HTTP 500\n");
    expect(stderr.trim().split("\n")).toHaveLength(4);
    const { orders } = JSON.parse((await list("--json")).stdout);
    expect(orders).toContainEqual(expect.objectContaining({ key: "failing", state: "failing", delivery }));
  });

  test("names an order with an unknown outcome, until it is settled", async () => {
    its.loseResponse();
    await expect(submit("lost")).rejects.toThrow();
    const { status, stdout, stderr } = await list();
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^lost {2}unknown {2}2026-\S+ {2}request \S+\n$/),
    ]);
    expect(stderr).toMatch(/^unknown: a task may exist\. .*\n$/);
    const { orders } = JSON.parse((await list("--json")).stdout);
    expect(orders).toEqual([
      expect.objectContaining({ key: "lost", state: "unknown", task_id: null, delivery: null }),
    ]);
    await settleOutcome(fileJournal(its.journal), "lost", its.latestTaskId());
    expect((await list()).stdout).toMatch(/^lost {2}unfinished .*\n$/);
  });

  test("names a damaged entry, lists the others, and is status 16", async () => {
    await submit("sea");
    const [directory = ""] = readdirSync(its.journal);
    const [file = ""] = readdirSync(join(its.journal, directory));
    await writeFile(join(its.journal, directory, file), "");
    const damaged = await list();
    expectOneLine(damaged, 16, "Failed to read 1 of the journal's entries", file);
    await submit("rain");
    expect(await list()).toMatchObject({
      status: 16,
      stdout: expect.stringMatching(/^rain {2}unfinished .*\n$/),
    });
    const delivery = { tries: 15, next_at: null, last_error: "HTTP 500" };
    await change("rain", { status: "success", acknowledged: false, delivery });
    const json = await list("--json");
    const orders = [expect.objectContaining({ key: "rain", state: "gave up", delivery })];
    expect([json.status, JSON.parse(json.stdout).error]).toEqual([
      16,
      expect.objectContaining({ name: "JournalDamagedError", orders }),
    ]);
  });

  test("reports a journal that does not exist", async () => {
    expectOneLine(await list(), 2, `There is no journal at "${its.journal}".`);
  });
});

test.each([
  [["--webhook", URL_OF_SHOP, "--list"], "Pass either --webhook or --list."],
  [[], "Pass either --webhook or --list."],
  [["--webhook", URL_OF_SHOP, "--json"], "--json needs --list."],
  [["--webhook", "shop.example"], "--webhook must be a URL that begins with https:// or http://."],
  [["--webhook", "ftp://shop.example"], "--webhook must be a URL"],
  [["--webhook", "https://me:secret@shop.example"], "must not contain a user name or a password"],
])("refuses %j", async (flags, message) => {
  const { status, stderr } = await terminalOf(createShop()).run("relay", "--journal", its.journal, ...flags);
  expect(status).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("me:secret");
});

test.each([
  "postgres:/shop:secret@db/x",
  "postgres//shop:secret@db/x",
  "postgres:shop:secret@db/x",
  "POSTGRE:/db/x?user=shop&password=secret",
  " redis:/:secret@db",
])("refuses the mistyped URL %j, and does not print it", async (location) => {
  const shop = createShop();
  for (const flags of [["--list"], ["--webhook", URL_OF_SHOP]]) {
    const result = await terminalOf(shop).run("relay", "--journal", location, ...flags);
    expectOneLine(result, 2, "--journal looks like a mistyped URL");
    expect(result.stderr).not.toContain("secret");
  }
});

test("lists nothing of a database that cannot be reached, soon and with the status of a journal", async () => {
  // ioredis leaves a timer.
  unwatch();
  const result = await its.run("relay", "--journal", "redis://127.0.0.1:1", "--list");
  expectOneLine(
    result,
    16,
    "Failed to list the entries of the journal in Redis",
    "Check --journal and its database.",
  );
});

test.each(["./shops:1@2", "C:/shops/1@2", "shops/1@2", "/shops:1@2"])(
  "takes %j for a directory",
  async (location) => {
    const result = await its.run("relay", "--journal", location, "--list");
    expectOneLine(result, 2, `There is no journal at "${location}".`);
  },
);

test.each(["", "whsec_", "secret", "whsec_dG9vIHNob3J0", "whsec_not base64!"])(
  "refuses the secret %j",
  async (secret) => {
    const { ended } = startRelay(createShop(), [], { ASYNC_MUSIC_WEBHOOK_SECRET: secret });
    const { status, stderr } = await ended;
    expect(status).toBe(2);
    expect(stderr).toContain("ASYNC_MUSIC_WEBHOOK_SECRET");
    if (secret !== "" && secret !== "whsec_") expect(stderr).not.toContain(secret);
  },
);

test("refuses the URL of another database", async () => {
  // The last --journal counts.
  const { ended } = startRelay(createShop(), ["--journal", "mysql://me:pw@db"]);
  const { status, stderr } = await ended;
  expect([status, stderr.includes("got a mysql:// URL"), stderr.includes("me:pw")]).toEqual([2, true, false]);
});

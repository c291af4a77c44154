import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  AsyncMusic,
  type ClientOptions,
  InvalidOptionError,
  memoryJournal,
  type RequestOptions,
} from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { saveAudio } from "async-music/node";
import { postgresJournal } from "async-music/postgres";
import { redisJournal, redisPacer } from "async-music/redis";
import { expect, onTestFinished, test, vi } from "vitest";
import { createFolder } from "../cli/support/terminal.js";
import { all } from "../support/collect.js";
import { expectNoKey } from "../support/leaks.js";
import { pollute } from "../support/pollute.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  ok,
  serve as respond,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
  taskIdIn,
  usage,
} from "../support/responses.js";
import { createTestClock } from "../support/test-clock.js";
import { API_KEY, BASE_URL, createWorld } from "../support/world.js";

/** A value for every option that changes what a client does, or that it refuses. */
const POISON: Record<string, unknown> = {
  ...each(-1, "timeoutMs", "maxRetries", "retryBudgetMs", "pollIntervalMs", "maxWaitMs", "concurrency"),
  ...each(-1, "maxCredits"),
  ...each({}, "clock", "pacer", "logger", "tracer", "journal"),
  ...each("x", "random", "logLevel", "validateRequests", "dangerouslyAllowBrowser", "onUpdate"),
  ...each("x", "onSubmitted", "probe", "onUnrecorded", "onProgress"),
  ...each("key_of_an_attacker", "apiKey", "ASYNC_MUSIC_API_KEY"),
  ...each("https://attacker.example", "baseUrl", "ASYNC_MUSIC_BASE_URL"),
  fetch: () => Promise.reject(new Error("an attacker's fetch")),
  signal: AbortSignal.abort("an attacker"),
  requestId: "an-attackers-id",
  headers: { "X-Attacker": "1" },
  journalKey: "",
  tenant: "",
};

function each(value: unknown, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

/** All requests that a client sends while it makes each kind of call, with no options but those it needs. */
async function requestsOfEveryCall(): Promise<string[]> {
  vi.stubEnv("ASYNC_MUSIC_API_KEY", API_KEY);
  vi.stubEnv("ASYNC_MUSIC_BASE_URL", BASE_URL);
  onTestFinished(() => void vi.unstubAllEnvs());
  const sent: string[] = [];
  const needed = Object.assign(Object.create(null), { random: () => 0, clock: createTestClock() });
  const client = new AsyncMusic({
    ...needed,
    async fetch(input: Request) {
      const { method, url, headers } = input;
      headers.delete("x-request-id");
      const isAudio = url.includes("audio.example");
      sent.push(`${method} ${url} ${isAudio ? "" : JSON.stringify([...headers])}`);
      if (isAudio) return new Response("RIFF");
      if (url.endsWith("/usage")) return usage();
      return method === "POST"
        ? accepted({ task_id: `task-${sent.length}` })
        : ok(succeeded({ task_id: taskIdIn({ path: url }) }));
    },
  });
  await client.account.usage();
  await client.tasks.create(SONG_REQUEST);
  await client.tasks.retrieve(TASK_ID);
  await client.tasks.wait(TASK_ID);
  await all(client.tasks.watch(TASK_ID));
  await client.tasks.run(SONG_REQUEST);
  await client.tasks.run(SONG_REQUEST, { journal: memoryJournal(), journalKey: "a" });
  for await (const { error } of client.tasks.runAll([SONG_REQUEST])) if (error) throw error;
  await (await client.audio.download("https://audio.example/1")).arrayBuffer();
  return sent;
}

test.each(Object.entries(POISON))("a polluted Object.prototype.%s changes nothing", async (name, poison) => {
  const expected = await requestsOfEveryCall();
  expect(expected).toHaveLength(12);
  pollute(name, poison);
  expect(await requestsOfEveryCall()).toEqual(expected);
});

const STORE_OPTIONS = "prefix forgetAfterSeconds requests windowSeconds onUnavailable table";

test.each(STORE_OPTIONS.split(" "))("a polluted Object.prototype.%s is no option of a store", (name) => {
  pollute(name, -1);
  const redis = { eval: async () => null, evalsha: async () => null };
  expect(() => redisJournal(redis as never)).not.toThrow();
  expect(() => redisPacer(redis as never)).not.toThrow();
  expect(() => postgresJournal({ query: async () => ({ rows: [] }) })).not.toThrow();
});

test("options may be own properties of a class instance, or of an object without a prototype", async () => {
  class Config {
    readonly apiKey = API_KEY;
    readonly baseUrl = BASE_URL;
    describe() {
      return "a config";
    }
  }
  expect(new AsyncMusic(new Config()).baseUrl).toBe(BASE_URL);
  expect(new AsyncMusic(Object.assign(Object.create(null), new Config())).baseUrl).toBe(BASE_URL);
  const read = vi.fn(() => BASE_URL);
  const withGetter = {
    apiKey: API_KEY,
    get baseUrl() {
      return read();
    },
  };
  expect(new AsyncMusic(withGetter).baseUrl).toBe(BASE_URL);
  expect(read).toHaveBeenCalledOnce();
});

/** Has its options as getters of its class, which are not own properties. */
class WithGetters {
  get apiKey() {
    return API_KEY;
  }
  get baseUrl() {
    return BASE_URL;
  }
  get maxRetries() {
    return 0;
  }
}

test.each<[what: string, options: ClientOptions]>([
  ["a getter of a class", new WithGetters()],
  ["a getter of a class's parent", new (class extends WithGetters {})()],
  ["another object", Object.create({ apiKey: API_KEY, baseUrl: BASE_URL })],
])("a client option that is inherited from %s is refused with its name", async (_, options) => {
  const create = () => new AsyncMusic(options);
  expect(create).toThrow(InvalidOptionError);
  expect(create).toThrow("`apiKey` is inherited and would be ignored. Set it on the options object itself.");
});

test("an inherited option of a call is refused before anything is sent, without its value", async () => {
  const { client, requests } = createWorld(() => accepted());
  const options: RequestOptions = Object.create({ requestId: API_KEY });
  for (const call of [
    client.tasks.create(SONG_REQUEST, options),
    client.tasks.retrieve(TASK_ID, options),
    client.tasks.wait(TASK_ID, options),
    client.tasks.run(SONG_REQUEST, options),
    client.account.balance(options),
    client.audio.download("https://audio.example/1", options),
  ]) {
    const error = await rejection(call, InvalidOptionError);
    expect(error.option).toBe("requestId");
    expectNoKey(error, API_KEY);
  }
  expect(requests).toEqual([]);
});

test("a change of the options after a call has no effect", async () => {
  const { client, requests } = createWorld(respond);
  const options = { headers: { "X-Team": "radio" }, requestId: "first" };
  const run = client.tasks.run(SONG_REQUEST, options);
  Object.assign(options, { headers: { "X-Team": "tv" }, requestId: "second" });
  await run;
  expect(requests.map(({ headers }) => headers.get("X-Team"))).toEqual(["radio", "radio"]);
});

test.each(["overwrite", "unique"])(
  "a polluted Object.prototype.%s is not an option of `saveAudio`",
  async (name) => {
    const directory = await createFolder();
    const { client } = createWorld(() => new Response("RIFF", { headers: { "Content-Type": "audio/wav" } }));
    const save = async () =>
      saveAudio(await client.audio.download("https://audio.example/1"), join(directory, "a"));
    await save();
    pollute(name, true);
    await expect(save()).rejects.toThrow("a.wav");
    expect(await readdir(directory)).toEqual(["a.wav"]);
  },
);

/** A value for every option that changes an emulator, or that it refuses. */
const EMULATOR_POISON: Record<string, unknown> = {
  seed: "x",
  credits: -1,
  policy: { late_success: "x" },
  limits: { requests: -1 },
  clock: "x",
  apiKey: "key_of_an_attacker",
  url: "https://attacker.example",
  snapshot: {},
  port: -1,
  host: "256.0.0.1",
  allowHost: "attacker.example:1",
};

test.each(Object.entries(EMULATOR_POISON))(
  "a polluted Object.prototype.%s is no option of an emulator, a reset, an account or a port",
  async (name, poison) => {
    const { apiKey, url, policy, limits } = createEmulator();
    pollute(name, poison);
    await using emulator = createEmulator({ clock: "virtual", limits: {}, policy: {} });
    expect(emulator).toMatchObject({ apiKey, url, policy, limits });
    expect(emulator.connection()).toMatchObject({ apiKey, baseUrl: url });
    emulator.reset();
    expect(emulator).toMatchObject({ apiKey, url, policy, limits });
    const { account_id } = emulator.accounts.create();
    expect(emulator.accounts.get(account_id).balance.available).toBe(0);
    await using server = await serve(emulator);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  },
);

test("an inherited emulator option is refused with its name", async () => {
  const rule = "must be an own property of the options";
  const inherited = Object.create({ credits: 5 });
  const emulator = createEmulator();
  expect(() => createEmulator(inherited)).toThrow(`\`credits\` ${rule}`);
  expect(() => emulator.reset(inherited)).toThrow(`\`credits\` ${rule}`);
  expect(() => emulator.accounts.create(inherited)).toThrow(`\`credits\` ${rule}`);
  await expect(serve(emulator, Object.create({ port: 0 }))).rejects.toThrow(`\`port\` ${rule}`);
});

test("emulator options may be own properties of an object without a prototype", async () => {
  const options = Object.assign(Object.create(null), { credits: 7 });
  const emulator = createEmulator(options);
  expect(emulator.accounts.get(emulator.accountId).balance.available).toBe(7);
});

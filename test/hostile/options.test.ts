import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AsyncMusic,
  type ClientOptions,
  InvalidOptionError,
  memoryJournal,
  type RequestOptions,
} from "async-music";
import { saveAudio } from "async-music/node";
import { redisJournal, redisPacer } from "async-music/redis";
import { expect, onTestFinished, test, vi } from "vitest";
import { accepted, ok, SONG_REQUEST, succeeded, TASK_ID, taskIdIn, usage } from "../support/answers.js";
import { expectNoKey } from "../support/leaks.js";
import { pollute } from "../support/pollute.js";
import { rejection } from "../support/rejection.js";
import { createTestClock } from "../support/test-clock.js";
import { API_KEY, BASE_URL, createWorld } from "../support/world.js";

/** A value for every option that changes what a client does, or that it refuses. */
const POISON: Record<string, unknown> = {
  apiKey: "key_of_an_attacker",
  baseUrl: "https://attacker.example",
  fetch: () => Promise.reject(new Error("an attacker's fetch")),
  timeoutMs: -1,
  maxRetries: -1,
  retryBudgetMs: -1,
  clock: {},
  random: "x",
  pacer: {},
  logger: {},
  logLevel: "x",
  tracer: {},
  validateRequests: "x",
  dangerouslyAllowBrowser: "x",
  signal: AbortSignal.abort("an attacker"),
  requestId: "an-attackers-id",
  headers: { "X-Attacker": "1" },
  pollIntervalMs: -1,
  maxWaitMs: -1,
  onUpdate: "x",
  onSubmitted: "x",
  journal: {},
  journalKey: "",
  probe: "x",
  onUnrecorded: "x",
  concurrency: -1,
  maxCredits: -1,
  onProgress: "x",
  ASYNC_MUSIC_API_KEY: "key_of_an_attacker",
  ASYNC_MUSIC_BASE_URL: "https://attacker.example",
};

/** Everything that a client sends while it makes each kind of call, with no options but those it needs. */
async function requestsOfEveryCall(): Promise<string[]> {
  vi.stubEnv("ASYNC_MUSIC_API_KEY", API_KEY);
  vi.stubEnv("ASYNC_MUSIC_BASE_URL", BASE_URL);
  onTestFinished(() => void vi.unstubAllEnvs());
  const sent: string[] = [];
  const given = Object.assign(Object.create(null), { random: () => 0, clock: createTestClock() });
  const client = new AsyncMusic({
    ...given,
    async fetch(input: Request) {
      const { method, url, headers } = input;
      headers.delete("x-request-id");
      // The library that fetches audio merges options of its own, and sends no key.
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
  for await (const _ of client.tasks.watch(TASK_ID));
  await client.tasks.run(SONG_REQUEST);
  await client.tasks.run(SONG_REQUEST, { journal: memoryJournal(), journalKey: "a" });
  for await (const { error } of client.tasks.runAll([SONG_REQUEST])) if (error) throw error;
  await (await client.audio.download("https://audio.example/1")).arrayBuffer();
  return sent;
}

test.each(Object.entries(POISON))(
  "a polluted Object.prototype.%s changes nothing that a client does",
  async (name, poison) => {
    const expected = await requestsOfEveryCall();
    expect(expected).toHaveLength(12);
    pollute(name, poison);
    expect(await requestsOfEveryCall()).toEqual(expected);
  },
);

test.each(["prefix", "forgetAfterSeconds", "requests", "windowSeconds", "onUnavailable"])(
  "a polluted Object.prototype.%s is no option of a journal or a pacer in Redis",
  (name) => {
    pollute(name, -1);
    const redis = { eval: async () => null, evalsha: async () => null };
    expect(() => redisJournal(redis as never)).not.toThrow();
    expect(() => redisPacer(redis as never)).not.toThrow();
  },
);

test("options may be own properties of an object without a prototype, or of a class", async () => {
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
  expect(
    new AsyncMusic({
      apiKey: API_KEY,
      get baseUrl() {
        return read();
      },
    }).baseUrl,
  ).toBe(BASE_URL);
  expect(read).toHaveBeenCalledOnce();
});

/** Gives its options by getters of its class, which no spread and no `Object.keys` shows. */
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
])("an option that is inherited from %s is refused by name", async (_, options) => {
  const create = () => new AsyncMusic(options);
  expect(create).toThrow(InvalidOptionError);
  expect(create).toThrow("`apiKey` is inherited and would be ignored. Set it on the options object itself.");
});

test("an inherited option of a call is refused before anything is sent, and shows no value", async () => {
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

test("an option that changes after the call was made changes nothing", async () => {
  const { client, requests } = createWorld(({ method }) =>
    method === "POST" ? accepted() : ok(succeeded()),
  );
  const options = { headers: { "X-Team": "radio" }, requestId: "first" };
  const run = client.tasks.run(SONG_REQUEST, options);
  Object.assign(options, { headers: { "X-Team": "tv" }, requestId: "second" });
  await run;
  expect(requests.map(({ headers }) => headers.get("X-Team"))).toEqual(["radio", "radio"]);
});

test.each(["overwrite", "unique"])(
  "a polluted Object.prototype.%s is no option of saveAudio",
  async (name) => {
    const directory = await mkdtemp(join(tmpdir(), "options-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const { client } = createWorld(() => new Response("RIFF", { headers: { "Content-Type": "audio/wav" } }));
    const save = async () =>
      saveAudio(await client.audio.download("https://audio.example/1"), join(directory, "a"));
    await save();
    pollute(name, true);
    await expect(save()).rejects.toThrow("a.wav");
    expect(await readdir(directory)).toEqual(["a.wav"]);
  },
);

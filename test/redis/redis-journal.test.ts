import {
  InvalidOptionError,
  JournalDamagedError,
  JournalError,
  SubmissionOutcomeUnknownError,
} from "async-music";
import { type RedisJournalOptions, redisJournal } from "async-music/redis";
import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeJournal } from "../support/describe-journal.js";
import { journalEntry } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { SONG_REQUEST, serve } from "../support/responses.js";
import { createWorld } from "../support/world.js";
import { clients, connectIoredis, redisSocket } from "./connections.js";

const KEY = "order-1";
let places = 0;

/** A journal with a prefix of its own, the place of its entry, and a run with it. */
function createJournal(
  { prefix = newPrefix(), ...options }: RedisJournalOptions = {},
  redis = connectIoredis(),
) {
  const journal = redisJournal(redis, { prefix, ...options });
  const { client, requests } = createWorld(serve);
  const run = () => client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY });
  return { redis, prefix, journal, place: `${prefix}:journal:${KEY}`, run, requests };
}

const newPrefix = () => `journal-${process.pid}-${places++}`;

describe.each(clients)("with %s", (_, connect) => {
  describeJournal(async () => {
    const prefix = newPrefix();
    return async () => redisJournal(await connect(), { prefix });
  });
});

test("its keys are namespaced, and its entries do not expire", async () => {
  const { redis, prefix, journal, place } = createJournal();
  await journal.put(KEY, journalEntry("submitted"), null);
  expect(await redis.keys(`*${prefix}*`)).toEqual([place]);
  expect(await redis.ttl(place)).toBe(-1);
  await redisJournal(redis).put(prefix, journalEntry("submitted"), null);
  expect(await redis.del(`async-music:journal:${prefix}`)).toBe(1);
});

test("`forgetAfterSeconds` expires submitted and settled entries, and never an intent", async () => {
  const { redis, journal, place } = createJournal({ forgetAfterSeconds: 3600 });
  await journal.put(KEY, journalEntry("intent"), null);
  expect(await redis.ttl(place)).toBe(-1);
  await journal.put(KEY, journalEntry("submitted"), "revision-intent");
  expect(await redis.ttl(place)).toBeGreaterThan(3500);
  await journal.put(KEY, journalEntry("intent"), "revision-submitted");
  expect(await redis.ttl(place)).toBe(-1);
  await journal.put(KEY, journalEntry("intent", { settled: true }), "revision-intent");
  expect(await redis.ttl(place)).toBeGreaterThan(3500);
});

test("a journal without `forgetAfterSeconds`, as a relay's, leaves the time at which an entry expires", async () => {
  const { redis, prefix, journal, place } = createJournal({ forgetAfterSeconds: 3600 });
  await journal.put(KEY, journalEntry("submitted"), null);
  const relays = redisJournal(redis, { prefix });
  const delivered = journalEntry("submitted", { revision: "delivered", acknowledged: true });
  expect(await relays.put(KEY, delivered, "revision-submitted")).toBe(true);
  expect(await redis.ttl(place)).toBeGreaterThan(3500);
  await relays.put(KEY, journalEntry("intent"), "delivered");
  expect(await redis.ttl(place)).toBe(-1);
});

test.each([
  ["an entry that was cut", (redis: Redis, place: string) => redis.hset(place, "entry", '{"revision":')],
  ["an entry that is gone", (redis: Redis, place: string) => redis.hdel(place, "entry")],
  ["another revision's entry", (redis: Redis, place: string) => redis.hset(place, "revision", "another")],
  ["another type", (redis: Redis, place: string) => redis.set(place, "something else")],
])("%s is a `JournalError`, and no POST is sent", async (_, damage) => {
  const { redis, journal, place, run, requests } = createJournal();
  await journal.put(KEY, journalEntry("submitted"), null);
  await damage(redis, place);
  await rejection(run(), JournalError);
  expect(requests).toEqual([]);
});

test("a client that returns numbers as strings can free keys", async () => {
  const { journal } = createJournal({}, connectIoredis({ stringNumbers: true }));
  expect(await journal.put(KEY, journalEntry("intent"), null)).toBe(true);
  expect(await journal.put(KEY, journalEntry("intent"), null)).toBe(false);
  expect(await journal.delete(KEY, "revision-intent")).toBe(true);
  expect(await journal.get(KEY)).toBeNull();
});

test("nothing is sent while Redis cannot be reached", async () => {
  const redis = new Redis({ path: "/nowhere", retryStrategy: null, maxRetriesPerRequest: 0 });
  redis.on("error", () => {});
  const { run, requests } = createJournal({}, redis);
  await rejection(run(), JournalError);
  expect(requests).toEqual([]);
});

test("an intent of another machine is an unknown outcome", async () => {
  const { prefix, run, requests } = createJournal();
  await redisJournal(connectIoredis(), { prefix }).put(KEY, journalEntry("intent"), null);
  await rejection(run(), SubmissionOutcomeUnknownError);
  expect(requests).toEqual([]);
});

test("the same client and options return the same journal", () => {
  const redis = connectIoredis();
  expect(redisJournal(redis)).toBe(redisJournal(redis, { prefix: "async-music" }));
  expect(redisJournal(redis)).not.toBe(redisJournal(redis, { prefix: "other" }));
  expect(redisJournal(redis)).not.toBe(redisJournal(redis, { forgetAfterSeconds: 60 }));
});

test("`open` returns all open keys of its prefix, and none of another prefix", async () => {
  const { redis, journal } = createJournal({ prefix: `${newPrefix()}[*?\\` });
  const keys = Array.from({ length: 1200 }, (_, index) => `order-${index}`);
  await Promise.all(keys.map((key) => journal.put(key, journalEntry("intent"), null)));
  await redisJournal(redis, { prefix: newPrefix() }).put(KEY, journalEntry("intent"), null);
  const open = await journal.open();
  expect(open.map(({ key }) => key).sort()).toEqual(keys.sort());
});

test("`open` returns the keys of a client with a `keyPrefix`", async () => {
  const { journal } = createJournal({}, connectIoredis({ keyPrefix: "app:" }));
  await journal.put(KEY, journalEntry("submitted"), null);
  expect(await journal.open()).toMatchObject([{ key: KEY, state: "submitted" }]);
});

test("an entry that the user of Redis may not read is not listed as damaged", async () => {
  const { redis, prefix, journal: whole } = createJournal();
  const user = newPrefix();
  await whole.put(KEY, journalEntry("submitted"), null);
  await redis.acl("SETUSER", user, "on", "nopass", "+@all", "~other:*");
  onTestFinished(async () => void (await redis.acl("DELUSER", user)));
  const limited = new Redis({ path: redisSocket(), username: user, password: "any" });
  onTestFinished(() => limited.disconnect());
  const journal = redisJournal(limited, { prefix });
  for (const list of [journal.open, journal.unacknowledged]) {
    const error = await rejection(list(), JournalError);
    expect(error).not.toBeInstanceOf(JournalDamagedError);
    expect(error.message).toContain("NOPERM");
  }
});

test("`open` names a damaged entry", async () => {
  const { redis, journal, place } = createJournal();
  await journal.put(KEY, journalEntry("submitted"), null);
  await redis.hset(place, "entry", "{");
  await expect(journal.open()).rejects.toThrow(place);
});

test.each(["hash", "string"])("the error of `open` lists the open keys beside a damaged %s", async (type) => {
  const { redis, prefix, journal } = createJournal();
  await journal.put(KEY, journalEntry("intent"), null);
  const place = `${prefix}:journal:order-2`;
  if (type === "string") await redis.set(place, "something else");
  else await redis.hset(place, { revision: "a", entry: '{"revision":"a"}' });
  const error = await rejection(journal.open(), JournalDamagedError);
  expect(error.orders).toMatchObject([{ key: KEY, state: "intent" }]);
  expect(error).toMatchObject({ damagedKeys: ["order-2"], journalKey: "order-2" });
  expect(error.message).toContain('key "order-2"');
});

test.each([
  ["redis", undefined, {}],
  ["redis", {}, {}],
  ["redis", { eval: "a script" }, {}],
  ["prefix", null, { prefix: "" }],
  ["prefix", null, { prefix: "app{}" }],
  ["forgetAfterSeconds", null, { forgetAfterSeconds: 0.5 }],
  ["prefix", null, { prefx: "a" }],
])("an invalid `%s` is refused", (option, redis, options) => {
  const make = () => redisJournal((redis === null ? connectIoredis() : redis) as never, options as never);
  expect(make).toThrow(InvalidOptionError);
  expect(make).toThrow(option);
});

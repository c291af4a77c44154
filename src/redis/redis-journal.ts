import { checkOptionNames } from "../http/option-names.js";
import { isFreed } from "../journal/is-journal-entry.js";
import type { Journal, JournalEntry } from "../journal/journal.js";
import { listOpen } from "../journal/open-orders.js";
import { SharedJournals } from "../journal/shared-journals.js";
import { checkPrefix, checkWhole } from "./options.js";
import { type Evaluate, evaluateOn, keyPrefixOf, masterClients, type RedisClient } from "./redis-client.js";

/** Options of `redisJournal`. */
export interface RedisJournalOptions {
  /** What its keys in Redis begin with. @defaultValue "async-music" */
  prefix?: string | undefined;
  /**
   * How long the record of a submitted task is kept, in seconds. A run whose key was forgotten submits, and pays, anew.
   * An intent whose task is not known is never forgotten.
   *
   * @defaultValue for ever
   */
  forgetAfterSeconds?: number | undefined;
}

/** The revision beside the entry: what is compared must not depend on how an entry is written. */
const GET = "return redis.call('hmget', KEYS[1], 'revision', 'entry')";

/** The previous revision is missing where there must be no entry; without seconds an entry stays for ever. */
const PUT = `
local revision, entry, seconds, previous = unpack(ARGV)
if redis.call('hget', KEYS[1], 'revision') ~= (previous or false) then return 0 end
redis.call('hset', KEYS[1], 'revision', revision, 'entry', entry)
if seconds == '' then redis.call('persist', KEYS[1]) else redis.call('expire', KEYS[1], seconds) end
return 1`;

const DELETE = `
if redis.call('hget', KEYS[1], 'revision') ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])`;

/** One step through the keys of one server: the next cursor, then key, revision and entry of each that matches. */
const SCAN = `
local cursor, names = unpack(redis.call('scan', ARGV[1], 'match', ARGV[2], 'count', 500))
local found = { cursor }
for _, name in ipairs(names) do
  local fields = redis.call('hmget', name, 'revision', 'entry')
  found[#found + 1] = { name, fields[1], fields[2] }
end
return found`;

/**
 * A journal in Redis, for all machines that reach it. Each of its methods is one script, and so happens whole or not at
 * all.
 *
 * It is as durable as that Redis: with `appendonly yes` and `appendfsync always` an entry outlasts a crash once it
 * is written; with `everysec` the last second may be lost, and with it the knowledge of what was paid in it; with
 * snapshots alone, or where memory is freed by evicting keys (any `maxmemory-policy` but `noeviction`), far more.
 * A replica that takes over may lack the last entries too. A run rejects with `JournalError`, and sends nothing, while
 * Redis can't be used. It is waited for 30 s, or for less where the client says so (`commandTimeout` and
 * `maxRetriesPerRequest` of ioredis, `disableOfflineQueue` of redis).
 *
 * `open` scans all keys of that Redis, in steps of 500: call it after a restart, not for each request.
 *
 * @param redis - a client or a cluster of `ioredis` or `redis`; closing it is up to its owner
 * @throws `InvalidOptionError`: an option is out of range
 *
 * @example
 * ```ts sketch
 * import { redisJournal } from "async-music/redis";
 * import { Redis } from "ioredis";
 *
 * const journal = redisJournal(new Redis());
 * const song = await client.tasks.run(request, { journal, journalKey: "order-1" });
 * ```
 */
export function redisJournal(redis: RedisClient, options: RedisJournalOptions = {}): Required<Journal> {
  const checked = checkOptionNames(options, { prefix: true, forgetAfterSeconds: true });
  const prefix = checkPrefix(checked.prefix);
  const { forgetAfterSeconds } = checked;
  if (forgetAfterSeconds !== undefined) checkWhole("forgetAfterSeconds", forgetAfterSeconds);
  const seconds = String(forgetAfterSeconds ?? "");
  const evaluate = evaluateOn(redis);

  const ofClient = journals.get(redis) ?? new SharedJournals();
  journals.set(redis, ofClient);
  return ofClient.get(JSON.stringify([prefix, seconds]), createRedisJournal);

  function createRedisJournal(): Required<Journal> {
    const placeOf = (key: string) => `${prefix}:journal:${spelt(key)}`;
    return {
      async get(key) {
        return entryOf(await evaluate(GET, placeOf(key), []), placeOf(key));
      },
      async put(key, entry, previous) {
        const lasts = entry.state === "submitted" || isFreed(entry) ? seconds : "";
        const values = [entry.revision, JSON.stringify(entry), lasts];
        if (previous !== null) values.push(previous);
        return isDone(await evaluate(PUT, placeOf(key), values));
      },
      async delete(key, revision) {
        return isDone(await evaluate(DELETE, placeOf(key), [revision]));
      },
      async open() {
        const beginning = keyPrefixOf(redis) + placeOf("");
        const entries = new Map<string, JournalEntry>();
        for (const server of await masterClients(redis)) {
          for await (const [place, fields] of scan(evaluateOn(server), beginning)) {
            const entry = entryOf(fields, place);
            if (entry !== null) entries.set(keyOf(place.slice(beginning.length)), entry);
          }
        }
        return listOpen(entries);
      },
    };
  }
}

/** With its option `stringNumbers`, ioredis answers a number as text. */
function isDone(reply: unknown): boolean {
  return Number(reply) === 1;
}

/** One place is one journal, so that the runs of one process on one key come one after the other. */
const journals = new WeakMap<RedisClient, SharedJournals>();

/** As JSON, halves of characters stay apart: they have no UTF-8, in which keys go to Redis. */
function spelt(key: string): string {
  return /\p{Surrogate}/u.test(key) ? JSON.stringify(key) : key;
}

/** What {@link spelt} made of a key, turned back. */
function keyOf(spelling: string): string {
  if (!spelling.startsWith('"')) return spelling;
  const key: unknown = parse(spelling);
  return typeof key === "string" && spelt(key) === spelling ? key : spelling;
}

/** Every hash whose name begins with this, and its fields. A name may come twice. */
async function* scan(
  evaluate: Evaluate,
  beginning: string,
): AsyncGenerator<[place: string, fields: unknown[]]> {
  const pattern = `${beginning.replaceAll(/[*?[\]\\]/g, "\\$&")}*`;
  let cursor = "0";
  do {
    const reply: unknown = await evaluate(SCAN, null, [cursor, pattern]);
    const [next, ...found]: unknown[] = Array.isArray(reply) ? reply : [];
    for (const [place, ...fields] of found as [string, ...unknown[]][]) yield [place, fields];
    cursor = String(next);
  } while (cursor !== "0");
}

function entryOf(reply: unknown, place: string): JournalEntry | null {
  const [revision, text]: unknown[] = Array.isArray(reply) ? reply : [];
  if (revision === null && text === null) return null;
  const entry = typeof text === "string" ? parse(text) : null;
  if (typeof revision === "string" && entry?.revision === revision) return entry;
  throw new Error(`the entry at ${JSON.stringify(place)} is damaged`);
}

function parse(text: string): JournalEntry | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

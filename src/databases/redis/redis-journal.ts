import { checkOptions } from "../../errors/options.js";
import { type DamagedEntry, isFreed, listOpen } from "../../journal/entries.js";
import { isJournalEntry } from "../../journal/is-entry.js";
import type { Journal, JournalEntry } from "../../journal/journal.js";
import { listed } from "../../journal/listed.js";
import { SharedJournals } from "../../journal/shared-journals.js";
import { isUnacknowledged, listUnacknowledged } from "../../journal/unacknowledged.js";
import { jsonOrNull } from "../json.js";
import {
  type Evaluate,
  evaluateOn,
  keyPrefixOf,
  PREFIX,
  prefixRule,
  type RedisClient,
  wholeRule,
} from "./client.js";
import { serversOf } from "./cluster.js";

/** Options of `redisJournal`. */
export interface RedisJournalOptions {
  /** Prefix of the keys in Redis, without `{}`. @defaultValue "async-music" */
  prefix?: string | undefined;
  /**
   * How long the entry of a submitted task is kept, in seconds. After that, a run with its key creates a new task, which is
   * charged again. An entry with an unknown outcome never expires.
   *
   * @defaultValue entries never expire
   */
  forgetAfterSeconds?: number | undefined;
}

/** The revision is stored beside the entry, so that comparing it does not depend on how the entry is serialized. */
const GET = "return redis.call('hmget', KEYS[1], 'revision', 'entry')";

/**
 * Writes the entry at a key. An intent never expires. Any other entry expires after these seconds or, without them, when the one before
 * it would have: a follower need not know them.
 *
 * The revision of an entry that no follower needs is stored once more: a version without `follow` that replaces the entry leaves
 * that field behind, which then differs.
 */
export const PUT_ENTRY = (key: string) => `
redis.call('hset', ${key}, 'revision', revision, 'entry', entry, 'done', done)
if lasts == 'unlimited' then redis.call('persist', ${key})
elseif lasts ~= '' then redis.call('expire', ${key}, lasts) end`;

/** Without a previous revision there must be no entry. */
const PUT = `
local revision, entry, lasts, done, previous = unpack(ARGV)
if redis.call('hget', KEYS[1], 'revision') ~= (previous or false) then return 0 end
${PUT_ENTRY("KEYS[1]")}
return 1`;

const DELETE = `
if redis.call('hget', KEYS[1], 'revision') ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])`;

/**
 * One step through the keys of a server. Returns the next cursor, then key and fields of each match: of all, or of those that a
 * follower may need. The fields are revision and entry, none if the key is no hash, and `null` if this server cannot read the key,
 * for example because a cluster moves it.
 */
const SCAN = `
local function read(name, field)
  local fields = redis.pcall('hmget', name, 'revision', field)
  if not fields.err then return fields end
  return string.find(fields.err, '^WRONGTYPE') and {} or false
end
local cursor, names = unpack(redis.call('scan', ARGV[1], 'match', ARGV[2], 'count', 500))
local found = { cursor }
for _, name in ipairs(names) do
  local fields = read(name, 'done')
  if ARGV[3] == 'all' or not fields or fields[1] ~= fields[2] then
    found[#found + 1] = { name, read(name, 'entry') }
  end
end
return found`;

/**
 * A journal in Redis, which several machines can share. `get`, `put` and `delete` are each one atomic script of one key.
 *
 * It is as durable as the Redis: with `appendonly yes` and `appendfsync always`, an entry survives a crash once it is
 * written. With `everysec`, the entries of the last second may be lost, and a run with such a key is charged again. With
 * snapshots only, or if keys are evicted (any `maxmemory-policy` but `noeviction`), far more may be lost. A replica that
 * becomes the primary may also lack the last entries.
 *
 * While Redis is unavailable, a run rejects with `JournalError` and sends nothing: after 30 s, or sooner with a timeout of
 * the client (`commandTimeout` and `maxRetriesPerRequest` of ioredis, `disableOfflineQueue` of redis).
 *
 * `open` scans all keys of the Redis, 500 per script: call it after a restart, not for each request. It is not atomic: a key
 * that changes meanwhile, or that a cluster moves to another server, may be listed or not. Its scripts declare no key, so an ACL must
 * allow `SCAN` and reading the keys with the prefix. In a cluster it should allow `CLUSTER SLOTS` and `CLUSTER MYID`: without them, a
 * list may lack the entries of masters that are not in the client's list of servers, and does not reject.
 *
 * `open` and `unacknowledged` reject with `JournalError` if they cannot read every entry, for example while a master of a cluster is
 * down.
 *
 * @param redis - a client or a cluster of `ioredis` or `redis`; you close it
 * @throws `InvalidOptionError` an option is out of range
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
  const rules = { prefix: prefixRule, forgetAfterSeconds: wholeRule };
  const { prefix = PREFIX, forgetAfterSeconds } = checkOptions(options, rules);
  const seconds = String(forgetAfterSeconds ?? "");
  const evaluate = evaluateOn(redis);

  const ofClient = journals.get(redis) ?? new SharedJournals();
  journals.set(redis, ofClient);
  return ofClient.get(JSON.stringify([prefix, seconds]), createRedisJournal);

  function createRedisJournal(): Required<Journal> {
    const nameOf = (key: string) => `${prefix}:journal:${encoded(key)}`;
    const valuesOf = (entry: JournalEntry, previous: string | null) => {
      const lasts = entry.state === "submitted" || isFreed(entry) ? seconds : "unlimited";
      const done = isUnacknowledged(entry) ? "" : entry.revision;
      return [entry.revision, JSON.stringify(entry), lasts, done, ...(previous === null ? [] : [previous])];
    };
    const journal: Required<Journal> = {
      async get(key) {
        return entryOf(await evaluate(GET, nameOf(key), []), nameOf(key));
      },
      async put(key, entry, previous) {
        return isDone(await evaluate(PUT, nameOf(key), valuesOf(entry, previous)));
      },
      async delete(key, revision) {
        return isDone(await evaluate(DELETE, nameOf(key), [revision]));
      },
      async open() {
        const { entries, damaged } = await readAll("all");
        return listOpen(entries, [...damaged.values()]);
      },
      async unacknowledged(since) {
        return listUnacknowledged((await readAll("unacknowledged")).entries, since);
      },
    };
    redisPositions.set(journal, { redis, nameOf, valuesOf });
    return journal;

    function readAll(which: Which) {
      return listed("in Redis", () => readEach(which));
    }

    async function readEach(which: Which) {
      const keyPrefix = keyPrefixOf(redis);
      const start = keyPrefix + nameOf("");
      const entries = new Map<string, JournalEntry>();
      const damaged = new Map<string, DamagedEntry>();
      for (const server of await serversOf(redis, nameOf(""))) {
        for await (const [name, found] of scan(evaluateOn(server), start, which)) {
          const key = keyOf(name.slice(start.length));
          // The client of a cluster follows a key that moves, and rejects if it cannot read the key.
          const fields = found ?? (await evaluate(GET, name.slice(keyPrefix.length), []));
          try {
            const entry = entryOf(fields, name);
            if (entry !== null) entries.set(key, entry);
          } catch (cause) {
            damaged.set(key, { key, cause });
          }
        }
      }
      return { entries, damaged };
    }
  }
}

/** Which entries a scan returns. */
type Which = "all" | "unacknowledged";

/** How a journal writes an entry. */
interface RedisPosition {
  redis: RedisClient;
  nameOf(key: string): string;
  valuesOf(entry: JournalEntry, previous: string | null): string[];
}

/** Where each journal of `redisJournal` has its entries. */
export const redisPositions = new WeakMap<Journal, RedisPosition>();

/** With its option `stringNumbers`, ioredis returns numbers as strings. */
function isDone(reply: unknown): boolean {
  return Number(reply) === 1;
}

/** One journal per client and prefix, so that the runs of one process on one key take turns. */
const journals = new WeakMap<RedisClient, SharedJournals>();

/** Keys are sent as UTF-8, which has no lone surrogates: a key with one is written as JSON, and so is one that looks like JSON. */
export function encoded(key: string): string {
  return /\p{Surrogate}|^"/u.test(key) ? JSON.stringify(key) : key;
}

/** The inverse of `encoded`. */
function keyOf(text: string): string {
  if (!text.startsWith('"')) return text;
  const key = jsonOrNull(text);
  return typeof key === "string" && encoded(key) === text ? key : text;
}

/** Every hash with this prefix, and its fields. A name may come twice. */
async function* scan(
  evaluate: Evaluate,
  start: string,
  which: Which,
): AsyncGenerator<[name: string, fields: unknown]> {
  const pattern = `${start.replaceAll(/[*?[\]\\]/g, "\\$&")}*`;
  let cursor = "0";
  do {
    const reply: unknown = await evaluate(SCAN, null, [cursor, pattern, which]);
    const [next, ...found]: [unknown?, ...[name: string, fields: unknown][]] = Array.isArray(reply)
      ? reply
      : [];
    yield* found;
    cursor = String(next);
  } while (cursor !== "0");
}

function entryOf(reply: unknown, name: string): JournalEntry | null {
  const [revision, text]: unknown[] = Array.isArray(reply) ? reply : [];
  if (revision === null && text === null) return null;
  const entry = jsonOrNull(text);
  if (typeof revision === "string" && isJournalEntry(entry) && entry.revision === revision) return entry;
  throw new Error(
    `the entry at ${JSON.stringify(name)} is damaged. Restore it, or delete it once you know whether its task exists.`,
  );
}

import { existsSync } from "node:fs";
import type { ClientOptions, Journal } from "../../src/index.js";
import { fileJournal } from "../../src/node/index.js";
import { schemeOf } from "../journal.js";
import { UsageError } from "../terminal.js";

/** A journal, and how to close its connection. */
export interface OpenedJournal {
  readonly journal: Required<Journal>;
  /** Whether there is a journal: a directory is created with its first entry. */
  readonly exists: boolean;
  /** Shares the rate limit with the processes that submit the orders, where their database can do that. */
  readonly pacer?: ClientOptions["pacer"];
  close(): Promise<void>;
}

/**
 * Opens the journal at a path, or in the database with a `postgres://` or `redis://` URL.
 *
 * @param isPatient - whether a command waits for some 10 s until a Redis can be reached
 */
export async function journalAt(location: string, isPatient: boolean): Promise<OpenedJournal> {
  const scheme = schemeOf(location);
  switch (scheme) {
    case null:
      return { journal: fileJournal(location), exists: existsSync(location), close: async () => {} };
    case "postgres":
    case "postgresql":
      return inPostgres(location);
    case "redis":
    case "rediss":
      return inRedis(location, isPatient);
    default:
      throw new UsageError(
        `--journal must be a directory, or a postgres:// or redis:// URL; got a ${scheme}:// URL.`,
      );
  }
}

async function inPostgres(connectionString: string): Promise<OpenedJournal> {
  const library = (await installed(() => import("pg"))) ?? missing("pg");
  const { postgresJournal } = await import("../../src/databases/postgres/index.js");
  const pool = new library.default.Pool({ connectionString, query_timeout: 15_000 });
  // The journal tries again; without these, a restart of the server ends the process.
  pool.on("error", () => {});
  pool.on("connect", (connection) => connection.on("error", () => {}));
  return { journal: postgresJournal(pool), exists: true, close: () => pool.end() };
}

async function inRedis(url: string, isPatient: boolean): Promise<OpenedJournal> {
  const { redisJournal, redisPacer } = await import("../../src/databases/redis/index.js");
  const ioredis = await installed(() => import("ioredis"));
  if (ioredis !== null) {
    const redis = new ioredis.Redis(url, isPatient ? {} : { maxRetriesPerRequest: 1 });
    redis.on("error", () => {});
    return {
      journal: redisJournal(redis),
      exists: true,
      pacer: redisPacer(redis),
      close: async () => redis.disconnect(),
    };
  }
  const library = (await installed(() => import("redis"))) ?? missing("ioredis");
  const redis = library.createClient({ url });
  redis.on("error", () => {});
  await redis.connect();
  return {
    journal: redisJournal(redis),
    exists: true,
    pacer: redisPacer(redis),
    close: async () => redis.destroy(),
  };
}

/** A package that users install; `null` if it is not installed. */
async function installed<Library>(load: () => Promise<Library>): Promise<Library | null> {
  try {
    return await load();
  } catch (error) {
    if (Object(error).code === "ERR_MODULE_NOT_FOUND") return null;
    throw error;
  }
}

function missing(name: string): never {
  throw new UsageError(
    `This journal needs the package ${name}, which is not installed. Install it beside async-music: npm install ${name}`,
  );
}

import { Redis } from "ioredis";
import { createClient, RESP_TYPES } from "redis";
import { inject, onTestFinished } from "vitest";

/** The socket of the Redis server for the tests. */
export function redisSocket(): string {
  const socket = inject("redisSocket");
  if (socket !== null) return socket;
  throw new Error("These tests need redis-server (and redis-cli): install Debian's package redis-server");
}

export function connectIoredis({ stringNumbers = false, keyPrefix = "", db = 0 } = {}): Redis {
  const redis = new Redis({ path: redisSocket(), stringNumbers, keyPrefix, db });
  onTestFinished(() => redis.disconnect());
  return redis;
}

export async function connectNodeRedis() {
  const redis = createClient({ socket: { path: redisSocket(), tls: false } });
  await redis.connect();
  onTestFinished(() => redis.destroy());
  return redis;
}

export const clients = [
  ["ioredis", async () => connectIoredis()],
  ["redis", connectNodeRedis],
  [
    "redis that returns bytes",
    async () => (await connectNodeRedis()).withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }),
  ],
] as const;

import type { Clock, Pacer, PacerFactory } from "async-music";
import { type RedisClient, redisJournal, redisPacer } from "async-music/redis";
import { Cluster, Redis } from "ioredis";
import { createClient, createCluster } from "redis";
import { expectTypeOf, test } from "vitest";

test("clients and clusters of ioredis and of redis compile without an adapter", () => {
  expectTypeOf<Redis>().toExtend<RedisClient>();
  expectTypeOf<Cluster>().toExtend<RedisClient>();
  redisJournal(new Redis());
  redisPacer(new Cluster([]));
  redisJournal(createClient());
  redisPacer(createCluster({ rootNodes: [] }));
  redisPacer(createClient({ RESP: 3 }));
});

test("an object that is not a Redis client does not compile", () => {
  // @ts-expect-error it has no eval
  redisPacer({});
  // @ts-expect-error an address is not a client
  redisJournal("redis://example.com");
});

test("a factory creates a pacer from a clock, and `redisPacer` also from a key", () => {
  expectTypeOf<ReturnType<typeof redisPacer>>().toExtend<PacerFactory>();
  expectTypeOf<(clock: Clock) => Pacer>().toExtend<PacerFactory>();
});

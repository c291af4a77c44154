import type { Clock, Pacer, PacerFactory } from "async-music";
import { type RedisClient, redisJournal, redisPacer } from "async-music/redis";
import { Cluster, Redis } from "ioredis";
import { createClient, createCluster } from "redis";
import { expectTypeOf, test } from "vitest";

test("clients and clusters of ioredis and of redis are taken as they are", () => {
  expectTypeOf<Redis>().toExtend<RedisClient>();
  expectTypeOf<Cluster>().toExtend<RedisClient>();
  redisJournal(new Redis());
  redisPacer(new Cluster([]));
  redisJournal(createClient());
  redisPacer(createCluster({ rootNodes: [] }));
  redisPacer(createClient({ RESP: 3 }));
});

test("what is no client of Redis is refused", () => {
  // @ts-expect-error it has no eval
  redisPacer({});
  // @ts-expect-error an address is no client
  redisJournal("redis://example.com");
});

test("a pacer is made by a clock, and for a key where it needs one", () => {
  expectTypeOf<ReturnType<typeof redisPacer>>().toExtend<PacerFactory>();
  expectTypeOf<(clock: Clock) => Pacer>().toExtend<PacerFactory>();
});

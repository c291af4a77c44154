import { setTimeout } from "node:timers/promises";
import { JournalDamagedError, JournalError } from "async-music";
import { redisBudget, redisJournal } from "async-music/redis";
import { Cluster } from "ioredis";
import { createCluster } from "redis";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { journalEntry } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { SONG_REQUEST, serve } from "../support/responses.js";
import { createWorld } from "../support/world.js";
import { failOverTo, type Master, startCluster, startReplica } from "./cluster.js";
import { redisSocket } from "./connections.js";

const KEYS = Array.from({ length: 20 }, (_, index) => `order-${index}`).sort();

let masters: [Master, Master, Master];
beforeAll(async () => {
  // Throws if redis-server is not installed.
  redisSocket();
  masters = await startCluster();
}, 30_000);
afterAll(() => Promise.all(masters?.map((master) => master.kill()) ?? []));

/** Connects to one master, from which the client receives the list of the others. */
function connectIoredis(redisOptions = {}): Cluster {
  const delays = { redisOptions, retryDelayOnFailover: 20, retryDelayOnClusterDown: 20 };
  const cluster = new Cluster([{ host: "127.0.0.1", port: masters[0].port }], delays);
  cluster.on("error", () => {});
  onTestFinished(() => cluster.disconnect());
  return cluster;
}

async function connectNodeRedis() {
  const cluster = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${masters[0].port}` }] });
  await cluster.connect();
  onTestFinished(() => cluster.destroy());
  return cluster;
}

const clients = [
  ["ioredis", async () => connectIoredis()],
  ["redis", connectNodeRedis],
] as const;

async function createJournal(prefix: string): Promise<void> {
  const journal = redisJournal(connectIoredis(), { prefix });
  for (const key of KEYS) await journal.put(key, journalEntry("submitted"), null);
}

const keysOf = (orders: readonly { key: string }[]) => orders.map(({ key }) => key).sort();

test.each(clients)(
  "a client of %s lists the entries of all masters at once after its start",
  async (name, connect) => {
    await createJournal(name);
    expect(keysOf(await redisJournal(await connect(), { prefix: name }).open())).toEqual(KEYS);
    expect(keysOf(await redisJournal(await connect(), { prefix: name }).unacknowledged())).toEqual(KEYS);
    await connectIoredis().set(`${name}:journal:other`, "something else");
    const error = await rejection(
      redisJournal(await connect(), { prefix: name }).open(),
      JournalDamagedError,
    );
    expect([keysOf(error.orders), error.damagedKeys]).toEqual([KEYS, ["other"]]);
  },
);

test("while a cluster moves a slot, its entries are listed, and none is damaged", async () => {
  const prefix = "moving";
  await createJournal(prefix);
  const [from, to] = masters;
  const [name = ""] = await from.redis.keys(`${prefix}:journal:*`);
  const slot = await from.redis.cluster("KEYSLOT", name);
  await to.redis.cluster("SETSLOT", slot, "IMPORTING", from.id);
  await from.redis.cluster("SETSLOT", slot, "MIGRATING", to.id);
  expect(await from.redis.migrate("127.0.0.1", to.port, name, 0, 1000)).toBe("OK");
  for (const [, connect] of clients) {
    const journal = redisJournal(await connect(), { prefix });
    expect(keysOf(await journal.open())).toEqual(KEYS);
    expect(keysOf(await journal.unacknowledged())).toEqual(KEYS);
  }
  for (const { redis } of [to, from]) await redis.cluster("SETSLOT", slot, "NODE", to.id);
});

test("a client that does not list all masters cannot list the journal", async () => {
  const cluster = connectIoredis();
  const journal = redisJournal(cluster, { prefix: "few" });
  await journal.put("order-1", journalEntry("submitted"), null);
  const all = cluster.nodes("master");
  cluster.nodes = () => all.slice(1);
  for (const list of [journal.open(), journal.unacknowledged()])
    await expect(list).rejects.toThrow(/masters with 109\d\d of the 16384 slots/);
});

test.each(["app", "{app}", "{", "a}b{c"])(
  "a budget with the prefix %s reserves in a cluster",
  async (prefix) => {
    for (const [name, connect] of clients) {
      const redis = await connect();
      const { client } = createWorld(serve);
      const journal = redisJournal(redis, { prefix });
      const budget = redisBudget(redis, { prefix, maxCredits: 1000, per: "day", journal });
      await client.tasks.create(SONG_REQUEST, { journal, budget, tenant: "{acme}", journalKey: name });
      expect(await budget.usage("{acme}")).toMatchObject({ reserved: expect.any(Number) });
    }
  },
);

test("a journal is listed although its user may not ask which slots a server has", async () => {
  await createJournal("limited");
  const user = { username: "limited", password: "unused" };
  const everyMaster = connectIoredis();
  await everyMaster.ping();
  for (const master of everyMaster.nodes("master"))
    await master.call("acl", "setuser", user.username, "on", "nopass", "~*", "+@all", "-cluster|myid");
  const journal = redisJournal(connectIoredis(user), { prefix: "limited" });
  expect(keysOf(await journal.open())).toEqual(KEYS);
});

test("a client that was connected before a failover lists the entries of the new master", async () => {
  const prefix = "failover";
  await createJournal(prefix);
  const connected = await Promise.all(clients.map(([, connect]) => connect()));
  const journals = connected.map((redis) => redisJournal(redis, { prefix }));
  for (const journal of journals) await journal.open();
  // Neither client tries a slot of this master before it lists the masters.
  const key = `${prefix}:journal:`;
  const slot = Number(await masters[0].redis.cluster("KEYSLOT", key));
  const index = slot < 8192 ? 2 : 0;
  const replaced = masters[index];
  masters[index] = await startReplica(replaced);
  onTestFinished(() => replaced.kill());
  await failOverTo(masters[index]);
  for (const journal of journals) {
    // ioredis connects to each server again.
    await vi.waitFor(() => journal.open(), 5000);
    expect(keysOf(await journal.open())).toEqual(KEYS);
    expect(keysOf(await journal.unacknowledged())).toEqual(KEYS);
  }
}, 30_000);

test("while a master is down, no list of a journal is incomplete, and no entry is damaged", async () => {
  const prefix = "down";
  await createJournal(prefix);
  const journal = redisJournal(connectIoredis(), { prefix });
  expect(await journal.open()).toHaveLength(KEYS.length);
  const [lost, ...left] = masters;
  await lost.kill();
  const isNoted = async () => String(await left[0].redis.cluster("INFO")).includes("cluster_slots_fail:5");
  while (!(await isNoted())) await setTimeout(20);
  for (const required of ["yes", "no"]) {
    for (const { redis } of left) await redis.config("SET", "cluster-require-full-coverage", required);
    for (const list of ["open", "unacknowledged"] as const) {
      const error = await rejection(journal[list](), JournalError);
      expect(error).not.toBeInstanceOf(JournalDamagedError);
    }
    const { client } = createWorld(serve);
    const followed = client.tasks.follow(journal, { maxFailureMs: 0 })[Symbol.asyncIterator]();
    await rejection(followed.next(), JournalError);
  }
}, 30_000);

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";

const SLOTS = 16_384;

/** A server of its own, and a client of it. */
export interface OwnServer {
  port: number;
  redis: Redis;
  /** Ends the server at once. */
  kill(): Promise<void>;
}

/** One master of a cluster. */
export interface Master extends OwnServer {
  id: string;
}

/** Starts a cluster of three masters without replicas. This takes three seconds, since a new master waits before it accepts commands. */
export async function startCluster(): Promise<[Master, Master, Master]> {
  const masters = await Promise.all([startMaster(), startMaster(), startMaster()]);
  for (const [index, { redis }] of masters.entries()) {
    await redis.call("cluster", "set-config-epoch", index + 1);
    const slots = Array.from({ length: SLOTS }, (_, slot) => slot);
    const isOwn = (slot: number) => Math.floor((slot * masters.length) / SLOTS) === index;
    await redis.cluster("ADDSLOTS", ...slots.filter(isOwn));
  }
  for (const { port } of masters) await masters[0].redis.cluster("MEET", "127.0.0.1", port);
  for (const { redis } of masters)
    while (!String(await redis.cluster("INFO")).includes("cluster_state:ok")) await setTimeout(20);
  return masters;
}

/** Starts a replica of one of the masters. */
export async function startReplica(of: Master): Promise<Master> {
  const replica = await startMaster();
  await replica.redis.cluster("MEET", "127.0.0.1", of.port);
  while (!String(await replica.redis.cluster("NODES")).includes(of.id)) await setTimeout(20);
  await replica.redis.cluster("REPLICATE", of.id);
  return replica;
}

/** Makes a replica the master once it has all keys. */
export async function failOverTo(replica: Master): Promise<void> {
  await untilReplicated(replica);
  await replica.redis.cluster("FAILOVER");
  await untilReplication(replica, "role:master");
}

/** Resolves once a replica has all keys of its master. */
export function untilReplicated(replica: OwnServer): Promise<void> {
  return untilReplication(replica, "master_link_status:up");
}

async function untilReplication({ redis }: OwnServer, state: string): Promise<void> {
  while (!String(await redis.info("replication")).includes(state)) await setTimeout(20);
}

async function startMaster(): Promise<Master> {
  const server = await startServer("--cluster-enabled", "yes", "--cluster-node-timeout", "1000");
  return { ...server, id: String(await server.redis.cluster("MYID")) };
}

export async function startServer(...settings: readonly string[]): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), "async-music-redis-"));
  const port = await freePort();
  const flags = ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--save", "", ...settings];
  const server = spawn("redis-server", flags, { stdio: "ignore" });
  const redis = new Redis({ port, retryStrategy: () => 20 });
  redis.on("error", () => {});
  const kill = async () => {
    redis.disconnect();
    if (server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true });
  };
  return { port, redis, kill };
}

/** A port that is free together with the one of the cluster's bus. Both are below those that clients get by default. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 10_000);
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = once(server.listen(port, "127.0.0.1"), "listening");
  const isFree = await listening.then(
    () => true,
    () => false,
  );
  await new Promise((resolve) => server.close(resolve));
  return isFree;
}

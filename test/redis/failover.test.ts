import { connect, createServer } from "node:net";
import { AsyncMusic, JournalError } from "async-music";
import { createEmulator } from "async-music/emulator";
import { redisJournal } from "async-music/redis";
import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { portOf } from "../support/loopback.js";
import { rejection } from "../support/rejection.js";
import { SONG_REQUEST } from "../support/responses.js";
import { startServer, untilReplicated } from "./cluster.js";
import { redisSocket } from "./connections.js";

/** By default, a primary waits 5 s before it sends its keys to a replica. */
const AT_ONCE = ["--repl-diskless-sync-delay", "0"];

/** A primary and its replica behind one address, which `failOver` moves to the replica. Connections stay where they are. */
async function startPair() {
  // Throws if redis-server is not installed.
  redisSocket();
  const [primary, replica] = await Promise.all([startServer(...AT_ONCE), startServer(...AT_ONCE)]);
  onTestFinished(() => Promise.all([primary.kill(), replica.kill()]).then(() => {}));
  await replica.redis.replicaof("127.0.0.1", primary.port);
  await untilReplicated(replica);
  let { port } = primary;
  const proxy = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    client.pipe(server).pipe(client);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const)
      socket.on("error", () => {}).on("close", () => other.destroy());
  });
  const address = await portOf(proxy);
  const failOver = async () => {
    await replica.redis.replicaof("NO", "ONE");
    await primary.redis.replicaof("127.0.0.1", replica.port);
    ({ port } = replica);
  };
  return { address, failOver, replica };
}

/** Runs two orders. The failover is at the POST of the first one. */
async function createAcrossFailover(reconnectOnError: ((error: Error) => 2 | false) | null) {
  const { address, failOver, replica } = await startPair();
  const redis = new Redis({ port: address, host: "127.0.0.1", reconnectOnError });
  redis.on("error", () => {});
  onTestFinished(() => redis.disconnect());
  const emulator = createEmulator();
  onTestFinished(() => emulator[Symbol.asyncDispose]());
  const connection = emulator.connection();
  let failedOver: Promise<void> | undefined;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    failedOver ??= failOver();
    await failedOver;
    return connection.fetch(input, init);
  };
  const client = new AsyncMusic({ ...connection, fetch });
  const unrecorded: JournalError[] = [];
  const run = (journalKey: string) =>
    client.tasks.run(SONG_REQUEST, {
      ...{ journal: redisJournal(redis), journalKey },
      onUnrecorded: (error) => void unrecorded.push(error),
    });
  const first = await run("order-1");
  return { first, run, unrecorded, emulator, journal: redisJournal(replica.redis) };
}

test("after a failover behind one address, `reconnectOnError` of ioredis finds the new primary, and nothing is lost", async () => {
  const { first, run, unrecorded, journal } = await createAcrossFailover(
    ({ message }) => message.includes("READONLY") && 2,
  );
  const second = await run("order-2");
  expect(unrecorded).toEqual([]);
  expect(await journal.get("order-1")).toMatchObject({ state: "submitted", task_id: first.task_id });
  expect(await journal.get("order-2")).toMatchObject({ state: "submitted", task_id: second.task_id });
});

test("without it, the task in flight is reported as unrecorded, and a later run sends nothing", async () => {
  const { first, run, unrecorded, emulator } = await createAcrossFailover(null);
  expect(unrecorded).toMatchObject([{ journalKey: "order-1", taskId: first.task_id }]);
  const error = await rejection(run("order-2"), JournalError);
  expect(error.message).toMatch(/READONLY .* Nothing was sent\./);
  expect(emulator.state().tasks).toHaveLength(1);
});

test("an order whose entry the new primary lacks is charged again", async () => {
  const { address, failOver, replica } = await startPair();
  const redis = new Redis({ port: address, host: "127.0.0.1" });
  onTestFinished(() => redis.disconnect());
  const emulator = createEmulator();
  onTestFinished(() => emulator[Symbol.asyncDispose]());
  const client = new AsyncMusic(emulator.connection());
  const run = (connection: Redis) =>
    client.tasks.run(SONG_REQUEST, { journal: redisJournal(connection), journalKey: "order-1" });
  // From now on, the replica receives nothing.
  await replica.redis.replicaof("NO", "ONE");
  await run(redis);
  await failOver();
  await run(replica.redis);
  expect(emulator.state().tasks).toHaveLength(2);
});

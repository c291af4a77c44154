import { createConnection, createServer } from "node:net";
import { redisJournal } from "async-music/redis";
import { expect, test } from "vitest";
import { journalEntry } from "../support/journals.js";
import { portOf } from "../support/loopback.js";
import { killRelays, RELAY_SOURCES, startRelay } from "../support/relay-fleet.js";
import { connectIoredis, redisSocket } from "./connections.js";

/** A port of this machine that leads to the socket of the server: a URL cannot name a socket. */
async function openPort(): Promise<number> {
  return portOf(
    createServer((client) => {
      const redis = createConnection(redisSocket());
      for (const socket of [client, redis]) socket.on("error", () => {});
      client.pipe(redis).pipe(client);
      client.on("close", () => redis.destroy());
      redis.on("close", () => client.destroy());
    }),
  );
}

test("relays of a journal in Redis are killed ten times, and each end is delivered", async () => {
  const redis = connectIoredis({ db: 7 });
  const place = `redis://127.0.0.1:${await openPort()}/7`;
  await killRelays(redisJournal(redis), 10, ([url = "", key = "", ...rest]) =>
    startRelay([...RELAY_SOURCES, url, key, place, ...rest]),
  );
  // The relays share the rate limit of the key: they exchange the ends of tasks there.
  expect(await redis.keys("async-music:pacer:*:ends")).toHaveLength(1);
  await redis.flushdb();
});

test("the list reads no entry that is done, unless an older version has replaced it", async () => {
  const redis = connectIoredis();
  const prefix = `unacknowledged-${process.pid}`;
  const journal = redisJournal(redis, { prefix });
  const done = { status: "success", acknowledged: true } as const;
  await journal.put("done", journalEntry("submitted", { ...done, revision: "a" }), null);
  // A damaged entry would be skipped; one that is not read is not missed.
  await redis.hset(
    `${prefix}:journal:done`,
    "entry",
    JSON.stringify(journalEntry("submitted", { revision: "a" })),
  );
  expect(await journal.unacknowledged()).toEqual([]);
  const open = journalEntry("submitted", { revision: "b" });
  await redis.hset(`${prefix}:journal:done`, "revision", "b", "entry", JSON.stringify(open));
  expect((await journal.unacknowledged()).map(({ key }) => key)).toEqual(["done"]);
});

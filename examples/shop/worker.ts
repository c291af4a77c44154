/** The second process of the shop: waits for the songs and stores them. Start more of them, on any machine, to share the work. */

import { setTimeout } from "node:timers/promises";
import {
  AsyncMusic,
  AsyncMusicError,
  isMusic,
  progressOf,
  type SucceededTask,
  TaskFailedError,
} from "async-music";
import { storeSong } from "../storage/store-song.ts";
import { folderBucket } from "./folder.ts";
import { budget, journal, pool, songsDirectory, WORKING } from "./settings.ts";

const client = new AsyncMusic();
const bucket = folderBucket(songsDirectory);
const stop = new AbortController();
const { signal } = stop;
process.once("SIGTERM", () => stop.abort());

client.on("task", ({ task }) => {
  const progress = [task.task_id, progressOf(task)];
  pool.query("UPDATE shop_orders SET progress = $2 WHERE task_id = $1", progress).catch(console.error);
});

const pollIntervalMs = Number(process.env["POLL_MS"] ?? 5000);
const storeIntervalMs = Number(process.env["STORE_MS"] ?? 3_600_000);
const options = { budget, signal, pollIntervalMs, intervalMs: 1000, leaseMs: 5000 };

/** Stores the song of an order, or why there is none. A song that cannot be stored delays no other. */
async function store(
  id: string,
  taskId: string | null,
  loaded: SucceededTask | Promise<SucceededTask>,
): Promise<void> {
  try {
    const song = await loaded;
    if (!isMusic(song)) return;
    const files = await storeSong(client, bucket, song, signal);
    const audio = files.filter(({ kind }) => kind === "audio").map(({ key }) => key);
    await pool.query(
      "UPDATE shop_orders SET state = 'done', task_id = $2, progress = 1, note = NULL, audio = $3 WHERE id = $1",
      [id, taskId, audio],
    );
  } catch (error) {
    signal.throwIfAborted();
    console.error(`Not stored: ${id}`, error);
    // Only a failed task was refunded. After any other error, the song may be charged.
    const end = error instanceof TaskFailedError ? ["failed", noteAfter(error)] : ["unstored", WORKING];
    // Another worker may have stored the song meanwhile.
    await pool.query(
      "UPDATE shop_orders SET state = $3, task_id = $2, note = $4 WHERE id = $1 AND state <> 'done'",
      [id, taskId, ...end],
    );
  }
}

function noteAfter({ retryable }: TaskFailedError): string {
  if (retryable === false) return "Describe the song in other words.";
  return "The song failed and was not charged. Order it again.";
}

/** Tries to store what is not stored yet, now and every hour: the audio expires after seven days. */
async function storeLeft(): Promise<never> {
  for (;;) {
    const unstored = "SELECT id, task_id FROM shop_orders WHERE state = 'unstored'";
    for (const { id, task_id } of (await pool.query<{ id: string; task_id: string }>(unstored)).rows)
      await store(id, task_id, client.tasks.wait(task_id, { signal }));
    await setTimeout(storeIntervalMs, null, { signal });
  }
}

async function followOrders(): Promise<void> {
  // Requesting the next order acknowledges this one. After a crash before that, it is delivered again, and nothing is stored twice.
  for await (const { key, task, error } of client.tasks.follow(journal, options)) {
    if (task) await store(key, task.task_id, task);
    else await store(key, error instanceof AsyncMusicError ? error.taskId : null, Promise.reject(error));
    console.log(`Ended: ${key}`);
  }
}

const work = [storeLeft(), followOrders()];
try {
  await Promise.all(work);
} catch (error) {
  if (!signal.aborted) throw error;
}
// The follower needs the pool to leave its orders to other workers.
await Promise.allSettled(work);
await pool.end();

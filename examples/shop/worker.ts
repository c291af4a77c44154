/** The second process of the shop: waits for the songs and stores them. Start more of them, on any machine, to share the work. */

import { AsyncMusic, isMusic, progressOf, type SucceededTask } from "async-music";
import { storeSong } from "../storage/store-song.ts";
import { folderBucket } from "./folder.ts";
import { budget, journal, pool, songsDirectory } from "./settings.ts";

const client = new AsyncMusic();
const bucket = folderBucket(songsDirectory);
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());

client.on("task", ({ task }) => {
  const progress = [task.task_id, progressOf(task)];
  pool.query("UPDATE shop_orders SET progress = $2 WHERE task_id = $1", progress).catch(console.error);
});

const pollIntervalMs = Number(process.env["POLL_MS"] ?? 5000);
const options = { budget, signal: stop.signal, pollIntervalMs, intervalMs: 1000, leaseMs: 5000 };

/** Stores a song. One that cannot be stored delays no other: the next start of a worker tries it again, within seven days. */
async function store(
  id: string,
  taskId: string,
  loaded: SucceededTask | Promise<SucceededTask>,
): Promise<void> {
  try {
    const song = await loaded;
    if (!isMusic(song)) return;
    const files = await storeSong(client, bucket, song, stop.signal);
    const audio = files.filter(({ kind }) => kind === "audio").map(({ key }) => key);
    await pool.query(
      "UPDATE shop_orders SET state = 'done', task_id = $2, progress = 1, note = NULL, audio = $3 WHERE id = $1",
      [id, taskId, audio],
    );
  } catch (error) {
    stop.signal.throwIfAborted();
    console.error(`Not stored: ${id}`, error);
    const note = "The song is ready, but it could not be stored yet.";
    await pool.query("UPDATE shop_orders SET state = 'unstored', task_id = $2, note = $3 WHERE id = $1", [
      id,
      taskId,
      note,
    ]);
  }
}

try {
  const unstored = "SELECT id, task_id FROM shop_orders WHERE state = 'unstored'";
  for (const { id, task_id } of (await pool.query<{ id: string; task_id: string }>(unstored)).rows) {
    await store(id, task_id, client.tasks.wait(task_id, { signal: stop.signal }));
  }
  // Requesting the next order acknowledges this one. After a crash before that, it is delivered again, and nothing is stored twice.
  for await (const { key, task, error } of client.tasks.follow(journal, options)) {
    if (task && isMusic(task)) {
      await store(key, task.task_id, task);
    } else {
      const note = error instanceof Error ? error.message : "There is no song.";
      await pool.query("UPDATE shop_orders SET state = 'failed', note = $2 WHERE id = $1", [key, note]);
    }
    console.log(`Ended: ${key}`);
  }
} catch (error) {
  if (!stop.signal.aborted) throw error;
}
await pool.end();

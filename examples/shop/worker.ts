/** The second process of the shop: waits for the songs and stores them. Start more of them, on any machine, to share the work. */

import { AsyncMusic, isMusic, progressOf } from "async-music";
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
try {
  // Requesting the next order acknowledges this one. After a crash before that, it is delivered again, and nothing is stored twice.
  for await (const { key, task, error } of client.tasks.follow(journal, options)) {
    if (task && isMusic(task)) {
      const files = await storeSong(client, bucket, task, stop.signal);
      const audio = files.filter(({ kind }) => kind === "audio").map((file) => file.key);
      await pool.query(
        "UPDATE shop_orders SET state = 'done', task_id = $2, progress = 1, audio = $3 WHERE id = $1",
        [key, task.task_id, audio],
      );
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

/** A worker that stores a song in a bucket of R2, and responds with its files. Without a task, it stores a broken body. */

import { AsyncMusic, isMusic } from "async-music";
import { type R2Binding, r2Bucket } from "../../../examples/storage/r2.js";
import { storeSong } from "../../../examples/storage/store-song.js";
import { tryBrokenPut } from "./broken-put.js";

interface Env {
  SONGS: R2Binding;
  ASYNC_MUSIC_API_KEY: string;
  ASYNC_MUSIC_BASE_URL: string;
}

// biome-ignore lint/style/noDefaultExport: it is what makes a module a worker.
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const bucket = r2Bucket(env.SONGS);
    const taskId = new URL(request.url).pathname.slice(1);
    if (taskId === "") return Response.json(await tryBrokenPut(bucket));
    const client = new AsyncMusic({ apiKey: env.ASYNC_MUSIC_API_KEY, baseUrl: env.ASYNC_MUSIC_BASE_URL });
    const song = await client.tasks.wait(taskId);
    if (!isMusic(song)) throw new Error("Invariant: the task is a song.");
    return Response.json(await storeSong(client, bucket, song));
  },
};

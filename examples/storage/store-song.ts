import type { AsyncMusic, SucceededTask } from "async-music";

/** What a bucket can do: an S3 client, an R2 bucket and others fit with a few lines each. See docs/store-audio.md. */
export interface Bucket {
  has(key: string): Promise<boolean>;
  /** Stores an object whole, or not at all. */
  put(
    key: string,
    body: ReadableStream<Uint8Array>,
    about: { size: number; contentType: string },
  ): Promise<void>;
}

/** An object in the bucket. */
export interface StoredFile {
  key: string;
  clipId: string;
  kind: "audio" | "cover";
}

/**
 * Stores all clips of a song, their cover art, and a JSON that names them. Call it again after a crash: what is stored already is
 * not downloaded again. The JSON comes last, so that a song with a JSON is complete. Audio expires seven days after the song
 * has ended.
 */
export async function storeSong(
  client: AsyncMusic,
  bucket: Bucket,
  song: SucceededTask<"music">,
  signal?: AbortSignal,
): Promise<StoredFile[]> {
  const folder = `songs/${song.task_id}`;
  const files: StoredFile[] = [];
  if (song.output.result.length === 0) throw new Error(`Task ${song.task_id} has no clips.`);
  for (const [index, clip] of song.output.result.entries()) {
    // The key does not depend on the format, which is known only once the download has begun.
    const audio = `${folder}/${index + 1}-audio`;
    await store(client, bucket, audio, clip.audio_url, signal);
    files.push({ key: audio, clipId: clip.id, kind: "audio" });
    if (!clip.image_url) continue;
    const cover = `${folder}/${index + 1}-cover`;
    await store(client, bucket, cover, clip.image_url, signal);
    files.push({ key: cover, clipId: clip.id, kind: "cover" });
  }
  await storeJson(bucket, `${folder}/song.json`, { taskId: song.task_id, files });
  return files;
}

async function store(client: AsyncMusic, bucket: Bucket, key: string, url: string, signal?: AbortSignal) {
  if (await bucket.has(key)) return;
  const { body, size, contentType } = await client.audio.download(url, { size: "required", signal });
  await bucket.put(key, body, { size, contentType });
}

async function storeJson(bucket: Bucket, key: string, value: unknown): Promise<void> {
  if (await bucket.has(key)) return;
  const blob = new Blob([JSON.stringify(value)]);
  await bucket.put(key, blob.stream(), { size: blob.size, contentType: "application/json" });
}

import { type AsyncMusic, AudioDownloadError, AudioExpiredError, type SucceededTask } from "async-music";

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
 * Stores all clips of a song, their cover art, and a JSON that names them. Call it again after a crash or an error: what is stored
 * already is not downloaded again. The JSON comes last, so that a song with a JSON is complete. Audio expires seven days after the
 * song has ended. So all audio is stored before the first cover, and a file that fails does not prevent that the others are stored.
 *
 * @throws the first error, after all files were tried. A cover that its server refuses is left out
 */
export async function storeSong(
  client: AsyncMusic,
  bucket: Bucket,
  song: SucceededTask<"music">,
  signal?: AbortSignal,
): Promise<StoredFile[]> {
  const clips = song.output.result;
  if (clips.length === 0) throw new Error(`Task ${song.task_id} has no clips.`);
  const folder = `songs/${song.task_id}`;
  const sources = [
    ...clips.map(({ id, audio_url }) => ({ clipId: id, kind: "audio" as const, url: audio_url })),
    ...clips.flatMap(({ id, image_url: url }) => (url ? [{ clipId: id, kind: "cover" as const, url }] : [])),
  ];
  const files: StoredFile[] = [];
  const errors: unknown[] = [];
  for (const { clipId, kind, url } of sources) {
    // The key does not depend on the format, which is known only once the download has begun.
    const key = `${folder}/${clipId}-${kind}`;
    try {
      await store(client, bucket, key, url, signal);
      files.push({ key, clipId, kind });
    } catch (error) {
      signal?.throwIfAborted();
      if (kind === "audio" || !isRefused(error)) errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  await storeJson(bucket, `${folder}/song.json`, { taskId: song.task_id, files });
  return files;
}

/** Whether the server of a file refuses its address: repeating the request does not help. */
function isRefused(error: unknown): boolean {
  if (error instanceof AudioExpiredError) return true; // status 404
  return error instanceof AudioDownloadError && [401, 403, 410].includes(error.status ?? 0);
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

import { randomUUID } from "node:crypto";
import { access, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Bucket } from "../storage/store-song.ts";

/** A bucket that is a folder of this machine. The content type of each object is in a file beside it. */
export function folderBucket(folder: string): Bucket {
  return {
    async has(key) {
      return access(join(folder, key)).then(
        () => true,
        () => false,
      );
    },
    async put(key, body, { contentType }) {
      const path = join(folder, key);
      await mkdir(dirname(path), { recursive: true });
      await writeWhole(`${path}.type`, contentType);
      await writeWhole(path, body);
    },
  };
}

/** Other workers may write the same file at the same time, so each write has a temporary file of its own. */
async function writeWhole(path: string, content: string | ReadableStream<Uint8Array>): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, content);
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

/** Returns an object as a response. */
export async function readObject(folder: string, key: string): Promise<Response> {
  try {
    const type = await readFile(join(folder, `${key}.type`), "utf8");
    return new Response(await readFile(join(folder, key)), { headers: { "Content-Type": type } });
  } catch {
    return new Response("not found", { status: 404 });
  }
}

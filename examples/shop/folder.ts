import { access, mkdir, readFile, rename, writeFile } from "node:fs/promises";
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
      await writeFile(`${path}.type`, contentType);
      await writeFile(`${path}.part`, body);
      await rename(`${path}.part`, path);
    },
  };
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

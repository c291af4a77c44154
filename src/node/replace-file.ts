import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/**
 * Puts a file in its place, whole or not at all: it is written beside it and renamed when it is complete, so a file that
 * was there before stays until then. Missing folders are made.
 */
export async function replaceFile(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const folder = dirname(resolve(path));
  // A name of its own: beside a long one, there may be no room for more.
  const draft = join(folder, `${randomUUID()}.part`);
  try {
    await mkdir(folder, { recursive: true });
    await write(draft);
    await rename(draft, path);
  } catch (error) {
    // Where the draft could not even be begun, its removal fails too, and is not what the caller must hear of.
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

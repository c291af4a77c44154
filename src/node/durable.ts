import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Writes a file that is not there yet. When this resolves, it outlasts a power cut. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  await withFile(path, "wx", async (file) => {
    await file.writeFile(text);
    await file.sync();
  });
}

/** Overwrites a file in the room that it already takes on the disk. When this resolves, it outlasts a power cut. */
export async function overwriteFile(path: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  await withFile(path, "r+", async (file) => {
    for (let at = 0; at < bytes.length; )
      at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten;
    await file.truncate(bytes.length);
    await file.sync();
  });
}

/** Makes a folder, where there is none, in one that is there. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch(ignoring("EEXIST"));
  await syncFolder(dirname(resolve(path)));
}

/** Makes what was made, linked or removed in a folder outlast a power cut. Windows does that by itself, and refuses. */
export async function syncFolder(path: string): Promise<void> {
  await withFile(path, "r", (file) => file.sync()).catch(ignoring("EPERM", "EISDIR", "EACCES"));
}

/** Answers nothing in the place of an error that is no failure; others stay errors. */
export function ignoring(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : null;
    if (!codes.some((each) => each === code)) throw error;
  };
}

async function withFile(
  path: string,
  flags: string,
  work: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

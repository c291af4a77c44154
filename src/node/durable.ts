import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** The modes of a directory and a file that only their owner may read. */
const PRIVATE_DIRECTORY = 0o700;
export const PRIVATE_FILE = 0o600;

/** Writes a file that is not there yet. When this resolves, it outlasts a power cut. */
export async function writeNewFile(path: string, text: string, mode?: number): Promise<void> {
  await withFile(
    path,
    "wx",
    async (file) => {
      await file.writeFile(text);
      await file.sync();
    },
    mode,
  );
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

/** Makes a directory and its parents where they are missing, for their owner alone. */
export async function makePrivateDirectory(path: string): Promise<void> {
  const target = resolve(path);
  const first = resolve((await mkdir(target, { recursive: true, mode: PRIVATE_DIRECTORY })) ?? target);
  for (let made = target; ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === first) return;
  }
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
  mode?: number,
): Promise<void> {
  const file = await open(path, flags, mode);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import type { Snapshot } from "../../../emulator/index.js";

/** What was saved; `undefined` where there is no such file yet. */
export async function loadState(path: string): Promise<Snapshot | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw cannot("read", path, error);
  });
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw cannot("read", path, error);
  }
}

/** Writes beside the file, and then takes its place: whenever this is cut short, the last good file is still there. */
export async function saveState(path: string, snapshot: Snapshot): Promise<void> {
  // A name that nobody can foresee, and have a link to another file there.
  const beside = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(beside, "wx", 0o600);
    try {
      await file.writeFile(JSON.stringify(snapshot));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw cannot("save", path, error);
  }
}

/** The error about a state file, in one line. */
export function cannot(verb: string, path: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`Failed to ${verb} the state in ${path}: ${reason}`, { cause });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

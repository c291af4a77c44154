import { mkdtempSync } from "node:fs";
import files, { mkdtemp, rm } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished, vi } from "vitest";

/** A temporary folder, which is removed when the test ends. */
export async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "async-music-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A temporary folder for all tests of a file, which is removed after them. */
export function folderOfFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "async-music-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Replaces a function of `node:fs/promises` until the test ends, also where it was imported by its name. */
export function replaceInFiles<Name extends "link" | "open" | "readFile">(
  name: Name,
  replacement: (typeof files)[Name],
): void {
  const spy = vi.spyOn(files, name).mockImplementation(replacement as never);
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

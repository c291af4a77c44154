import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const { ASYNC_MUSIC_API_KEY: _, ...others } = process.env;

/** Without an API key, so that the examples use the emulator. */
export const environment: NodeJS.ProcessEnv = others;

export function runExample(program: string): string {
  const cwd = mkdtempSync(join(tmpdir(), "async-music-example-"));
  try {
    return execFileSync(process.execPath, [resolve(program)], {
      cwd,
      env: environment,
      encoding: "utf8",
    }).trim();
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/**
 * `npm run simulate:bugs`: puts deliberate bugs into a copy of the sources, one at a time, and shows that the
 * simulation finds each; `-- TEXT` only those whose name contains the text. A bug that it does not find, or that no longer fits the sources, fails.
 */

import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { BUGS, type Bug } from "./bug-list.ts";

const WORLDS = "2000";
const [wanted = ""] = process.argv.slice(2);
const bugs = BUGS.filter(({ name }) => name.includes(wanted)).values();
await Promise.all(Array.from({ length: availableParallelism() }, searchForEach));

/** Searches for one bug after the other. */
async function searchForEach(): Promise<void> {
  for (const bug of bugs) {
    const found = await searchFor(bug);
    console.log(`${found ?? "NOT FOUND"}: ${bug.name}`);
    if (found === null) process.exitCode = 1;
  }
}

/** The first property that a copy with the bug breaks, and the world in which it does. */
async function searchFor({ file, find, replace, firstWorld = 251 }: Bug): Promise<string | null> {
  const copy = mkdtempSync(join(tmpdir(), "async-music-bug-"));
  try {
    for (const part of ["src", "emulator", "tools/loader", "tools/simulate", "package.json", "tsconfig.json"])
      cpSync(part, join(copy, part), { recursive: true });
    symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
    const sound = readFileSync(join(copy, file), "utf8");
    if (sound.split(find).length !== 2)
      throw new Error(`${file} must contain this text exactly once: ${find}`);
    writeFileSync(
      join(copy, file),
      sound.replace(find, () => replace),
    );

    const limits = ["--seed", String(firstWorld), "--worlds", WORLDS, "--workers", "1", "--first"];
    const script = ["--import", "./tools/loader/run-sources.ts", "tools/simulate/simulate.ts", ...limits];
    // It fails if a world is broken.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, script, { cwd: copy }).catch(
      (failed: { stdout: string; stderr: string }) => failed,
    );
    if (stdout.includes("SyntaxError")) throw new Error(`The replacement is no code: ${replace}\n${stdout}`);
    if (!/ of \d+ worlds in /.test(stdout)) throw new Error(`The simulation did not run: ${stderr}`);
    const [, world, violation] = /World (\d+) is broken.*\n.*\n\s+(.*)/.exec(stdout) ?? [];
    return world === undefined ? null : `world ${world}, ${violation}`;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

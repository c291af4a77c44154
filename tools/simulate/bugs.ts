/**
 * `npm run simulate:bugs`: puts deliberate bugs into a copy of the sources, one at a time, and shows that the
 * simulation finds each; `-- TEXT` only those whose name contains the text. A bug that it does not find, or that no longer fits the sources, fails.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BUGS, type Bug } from "./bug-list.ts";

const WORLDS = "2000";
const [wanted = ""] = process.argv.slice(2);
for (const bug of BUGS.filter(({ name }) => name.includes(wanted))) {
  const found = searchFor(bug);
  console.log(`${found ?? "NOT FOUND"}: ${bug.name}`);
  if (found === null) process.exitCode = 1;
}

/** The first property that a copy with the bug breaks, and the world in which it does. */
function searchFor({ file, find, replace, firstWorld = 251 }: Bug): string | null {
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

    const parameters = [
      "--import",
      "./tools/loader/run-sources.ts",
      "tools/simulate/simulate.ts",
      "--seed",
      String(firstWorld),
      "--worlds",
      WORLDS,
    ];
    const { stdout, stderr } = spawnSync(process.execPath, [...parameters, "--first"], {
      cwd: copy,
      encoding: "utf8",
    });
    if (!/ of \d+ worlds in /.test(stdout)) throw new Error(`The simulation did not run: ${stderr}`);
    const [, world, violation] = /World (\d+) is broken.*\n.*\n\s+(.*)/.exec(stdout) ?? [];
    return world === undefined ? null : `world ${world}, ${violation}`;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

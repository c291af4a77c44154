/**
 * `npm run package`: packs the package, checks the tarball with publint and attw, and packs it again, which builds it again: a time, a
 * random name or a path in the output would make the two differ.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";

const folder = ".reports/package";
mkdirSync(folder, { recursive: true });

const one = pack("--pack-destination", folder);
const tarball = `${folder}/${one.filename}`;
check("publint", tarball, "--strict");
check("attw", tarball, "--profile", "esm-only");

const other = pack("--dry-run");
if (one.integrity !== other.integrity)
  throw new Error(
    `Failed to pack the same twice: ${one.integrity}, then ${other.integrity}. Something in dist/ depends on more than the sources.`,
  );
console.log(`Two packs are equal: ${one.integrity}`);

function pack(...options: string[]): { filename: string; integrity: string } {
  const report = execFileSync("npm", ["pack", "--json", "--silent", ...options], { encoding: "utf8" });
  return JSON.parse(report)[0];
}

/** Ends this process if the check fails. */
function check(program: string, ...parameters: string[]): void {
  const { status, error } = spawnSync(program, parameters, { stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

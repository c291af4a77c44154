import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** What `npm pack` reports. */
export interface Packed {
  filename: string;
  size: number;
  files: { path: string }[];
}

/** Packs the built package into a directory. */
export function pack(directory: string): Packed {
  return JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", directory]))[0];
}

/** Installs a tarball as the only package of a project. */
export function installTarball(tarball: string, project: string): void {
  const installed = join(project, "node_modules/async-music");
  mkdirSync(installed, { recursive: true });
  run("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]);
}

/** Installs `@types/node`, of the oldest supported Node version. */
export function installNodeTypes(project: string): void {
  for (const name of ["@types/node", "undici-types"])
    cpSync(join("node_modules", name), join(project, "node_modules", name), { recursive: true });
}

/** Returns what a command writes. Its error has this, too: a compiler writes its errors to stdout. */
export function run(command: string, parameters: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, parameters, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

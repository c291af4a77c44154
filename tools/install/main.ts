/**
 * `node tools/install/main.ts prose site -- tsc`: installs the packages of these folders of `tools/`, unless they are
 * installed, and then runs a command. It finds their programs before those of the repository.
 */

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { delimiter, resolve } from "node:path";

const end = process.argv.indexOf("--");
const folders = process.argv.slice(2, end === -1 ? undefined : end).map((name) => resolve("tools", name));
const command = end === -1 ? [] : process.argv.slice(end + 1);

for (const folder of folders) if (!isInstalled(folder)) run("npm", ["ci", "--prefix", folder]);
const path = [...folders.map((folder) => `${folder}/node_modules/.bin`), process.env["PATH"]].join(delimiter);
const [program, ...parameters] = command;
if (program !== undefined) run(program, parameters, { ...process.env, PATH: path });

/** npm writes its own lockfile last: it is newer than the folder's, unless that has changed since. */
function isInstalled(folder: string): boolean {
  const installed = statSync(`${folder}/node_modules/.package-lock.json`, { throwIfNoEntry: false });
  return installed !== undefined && installed.mtimeMs > statSync(`${folder}/package-lock.json`).mtimeMs;
}

/** Ends this process if the command fails. */
function run(program: string, parameters: string[], env = process.env): void {
  const shell = process.platform === "win32";
  const { status, error } = spawnSync(program, parameters, { stdio: "inherit", env, shell });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * `node tools/install/main.ts prose site -- tsc`: installs the packages of these folders of `tools/`, unless they are
 * installed, and then runs a command. It finds their programs before those of the repository.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { delimiter, resolve } from "node:path";

const end = process.argv.indexOf("--");
const folders = process.argv.slice(2, end === -1 ? undefined : end).map((name) => resolve("tools", name));
const command = end === -1 ? [] : process.argv.slice(end + 1);

const missing = folders.filter((folder) => !isInstalled(folder));
// At the same time, since npm mostly waits for the network.
await Promise.all(missing.map((folder) => run("npm", ["ci", "--prefix", folder])));
const path = [...folders.map((folder) => `${folder}/node_modules/.bin`), process.env["PATH"]].join(delimiter);
const [program, ...parameters] = command;
if (program !== undefined) await run(program, parameters, { ...process.env, PATH: path });

/** npm writes its own lockfile last: it is newer than the folder's, unless that has changed since. */
function isInstalled(folder: string): boolean {
  const installed = statSync(`${folder}/node_modules/.package-lock.json`, { throwIfNoEntry: false });
  return installed !== undefined && installed.mtimeMs > statSync(`${folder}/package-lock.json`).mtimeMs;
}

/** Ends this process if the command fails. */
async function run(program: string, parameters: string[], env = process.env): Promise<void> {
  const shell = process.platform === "win32";
  const [status] = await once(spawn(program, parameters, { stdio: "inherit", env, shell }), "exit");
  if (status !== 0) process.exit(status ?? 1);
}

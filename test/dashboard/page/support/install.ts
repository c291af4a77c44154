import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { setup as build } from "../../../package/build.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The directory in whose `node_modules` the packed package is installed. */
    installed: string;
  }
}

/** Builds the package, packs it, and unpacks it as a user's installation. */
export function setup(project: TestProject): () => void {
  build(project);
  const folder = mkdtempSync(join(tmpdir(), "async-music-installed-"));
  install(folder);
  project.provide("installed", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

function install(folder: string): void {
  const target = join(folder, "node_modules/async-music");
  mkdirSync(target, { recursive: true });
  const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder];
  const tarball = spawnSync("npm", pack, { encoding: "utf8" }).stdout.trim();
  spawnSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", target], { cwd: folder });
  for (const name of ["ky", "zod"])
    symlinkSync(resolve("node_modules", name), join(folder, "node_modules", name));
}

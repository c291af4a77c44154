import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { installTarball, pack } from "./install.js";

/** A user's project outside of the repository. */
export interface Project {
  folder: string;
  remove(): void;
}

/** The packages that the tarball itself depends on. */
const DEPENDENCIES = ["ky", "zod"];

/** Where this repository has packages. */
const FOLDERS = ["node_modules", "tools/storage/node_modules"];

/** Makes a project with the packed package and, as links, other packages of this repository. Needs the built package. */
export function createProject(packages: readonly string[] = []): Project {
  const folder = mkdtempSync(join(tmpdir(), "async-music-outside-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  installPacked(folder);
  for (const name of [...DEPENDENCIES, ...packages]) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(FOLDERS.map((modules) => resolve(modules, name)).find(existsSync) ?? name, link);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Installs the tarball into a project, without its dependencies. */
export function installPacked(folder: string): void {
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  installTarball(join(folder, pack(folder).filename), folder);
  symlinkSync("../async-music/dist/cli.js", join(folder, "node_modules/.bin/async-music"));
}

/** Copies the packages that the tarball depends on, for tools that follow no links. */
export function copyDependencies(folder: string): void {
  for (const name of DEPENDENCIES)
    cpSync(join("node_modules", name), join(folder, "node_modules", name), { recursive: true });
}

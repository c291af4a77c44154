import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, join, sep } from "node:path";
import { onTestFinished, vi } from "vitest";
import { type Operation, ROOT, type Tree } from "./crash-states.js";

/** The directory of the simulated disk. No real one has this name. */
export const DISK = `${sep}simulated-disk`;

/**
 * A disk in memory that records every change. Until the test ends, the functions of `node:fs/promises` use it for paths below
 * `DISK`. A function that is not simulated throws there, so that no change is missed.
 */
export function mountDisk(): Disk {
  const disk = new Disk();
  const simulated: Readonly<Record<string, unknown>> = functionsOf(disk);
  for (const [name, real] of Object.entries(files)) {
    if (typeof real !== "function") continue;
    const own = simulated[name];
    const spy = vi.spyOn(files, name as "open");
    spy.mockImplementation((async (...given: unknown[]) => {
      if (!String(given[0]).startsWith(DISK)) return Reflect.apply(real, files, given);
      if (typeof own !== "function") throw new Error(`The simulated disk has no \`${name}\`.`);
      return Reflect.apply(own, null, given);
    }) as typeof files.open);
    onTestFinished(() => spy.mockRestore());
  }
  syncBuiltinESMExports();
  onTestFinished(() => syncBuiltinESMExports());
  return disk;
}

type Node = { kind: "file"; content: string } | { kind: "directory"; names: Map<string, number> };

export class Disk {
  /** Every change since `load`, or since the beginning. */
  operations: Operation[] = [];
  #nodes: Node[] = [{ kind: "directory", names: new Map() }];

  /** The numbers of the directories. */
  get directories(): Set<number> {
    return new Set([...this.#nodes.keys()].filter((id) => this.#nodes[id]?.kind === "directory"));
  }

  /** Replaces everything on the disk. */
  load(tree: Tree): void {
    this.#nodes = [];
    const add = (each: Tree): number => {
      const id = this.#nodes.length;
      if (typeof each === "string") this.#nodes.push({ kind: "file", content: each });
      else {
        const names = new Map<string, number>();
        this.#nodes.push({ kind: "directory", names });
        for (const [name, child] of Object.entries(each)) names.set(name, add(child));
      }
      return id;
    };
    add(tree);
    this.operations = [];
  }

  /** The number at a path. @throws ENOENT, ENOTDIR */
  find(path: string, call: string): number {
    const names = path.slice(DISK.length).split(sep).filter(Boolean);
    return names.reduce((id, name) => {
      const found = this.names(id, call).get(name);
      if (found === undefined) throw failure("ENOENT", call);
      return found;
    }, ROOT);
  }

  has(path: string): boolean {
    return this.names(this.find(dirname(path), "stat"), "stat").has(basename(path));
  }

  /** The names of a directory. @throws ENOTDIR */
  names(id: number, call: string): Map<string, number> {
    const node = this.#nodes[id];
    if (node?.kind !== "directory") throw failure("ENOTDIR", call);
    return node.names;
  }

  content(id: number, call: string): string {
    const node = this.#nodes[id];
    if (node?.kind !== "file") throw failure("EISDIR", call);
    return node.content;
  }

  create(path: string, kind: Node["kind"], call: string): number {
    if (this.has(path)) throw failure("EEXIST", call);
    const id = this.#nodes.length;
    this.#nodes.push(kind === "file" ? { kind, content: "" } : { kind, names: new Map() });
    this.add(path, id, call);
    return id;
  }

  add(path: string, target: number, call: string): void {
    const directory = this.find(dirname(path), call);
    if (this.has(path)) throw failure("EEXIST", call);
    this.names(directory, call).set(basename(path), target);
    this.operations.push({ kind: "add", directory, name: basename(path), target });
  }

  remove(path: string, call: string): void {
    this.find(path, call);
    const directory = this.find(dirname(path), call);
    this.names(directory, call).delete(basename(path));
    this.operations.push({ kind: "remove", directory, name: basename(path) });
  }

  rename(path: string, to: string): void {
    const target = this.find(path, "rename");
    const directory = this.find(dirname(path), "rename");
    if (dirname(path) !== dirname(to))
      throw new Error("The simulated disk moves no file between directories.");
    const names = this.names(directory, "rename");
    names.delete(basename(path));
    names.set(basename(to), target);
    this.operations.push({ kind: "rename", directory, from: basename(path), to: basename(to), target });
  }

  write(file: number, content: string): void {
    this.content(file, "write");
    this.#nodes[file] = { kind: "file", content };
    this.operations.push({ kind: "write", file, content });
  }

  sync(target: number, path: string): void {
    this.operations.push({ kind: "sync", target, path });
  }
}

/** The functions of `node:fs/promises` that the SDK uses. */
function functionsOf(disk: Disk) {
  const mkdir = async (path: string, options?: { recursive?: boolean } | number) => {
    if (typeof options !== "object" || options.recursive !== true) {
      disk.create(path, "directory", "mkdir");
      return undefined;
    }
    const missing: string[] = [];
    for (let each = path; each !== DISK && !exists(each); each = dirname(each)) missing.unshift(each);
    for (const each of missing) disk.create(each, "directory", "mkdir");
    return missing[0];
  };
  const exists = (path: string) => {
    try {
      disk.find(path, "stat");
      return true;
    } catch (error) {
      if (Reflect.get(Object(error), "code") === "ENOENT") return false;
      throw error;
    }
  };
  const open = async (path: string, flags = "r") => {
    const isNew = flags === "wx" || flags === "ax";
    if (!isNew && flags !== "r" && flags !== "r+")
      throw new Error(`The simulated disk has no flag ${flags}.`);
    const id = isNew ? disk.create(path, "file", "open") : disk.find(path, "open");
    let position = 0;
    return {
      async writeFile(data: string | Uint8Array) {
        const before = disk.content(id, "write");
        const start = flags === "ax" ? before.length : position;
        const bytes = binary(data);
        position = start + bytes.length;
        disk.write(id, before.slice(0, start).padEnd(start, "\0") + bytes + before.slice(position));
      },
      truncate: async (length = 0) => disk.write(id, disk.content(id, "ftruncate").slice(0, length)),
      sync: async () => disk.sync(id, path),
      close: async () => {},
    };
  };
  return {
    mkdir,
    open,
    async writeFile(
      path: string,
      data: string | Uint8Array,
      options: { flag?: string; flush?: boolean } = {},
    ) {
      const file = await open(path, options.flag ?? "w");
      await file.writeFile(data);
      if (options.flush) await file.sync();
    },
    async readFile(path: string, encoding?: BufferEncoding) {
      const bytes = Buffer.from(disk.content(disk.find(path, "open"), "read"), "latin1");
      return encoding === undefined ? bytes : bytes.toString(encoding);
    },
    readdir: async (path: string) => [...disk.names(disk.find(path, "scandir"), "scandir").keys()],
    lstat: async (path: string) => ({ ino: disk.find(path, "lstat") }),
    truncate: async (path: string, length = 0) => {
      const id = disk.find(path, "open");
      disk.write(id, disk.content(id, "ftruncate").slice(0, length));
    },
    link: async (path: string, to: string) => disk.add(to, disk.find(path, "link"), "link"),
    rename: async (path: string, to: string) => disk.rename(path, to),
    async rm(path: string, options: { force?: boolean } = {}) {
      if (!exists(path) && options.force) return;
      disk.remove(path, "rm");
    },
  };
}

/** A character for each byte. */
function binary(data: string | Uint8Array): string {
  return Buffer.from(data as Uint8Array).toString("latin1");
}

function failure(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
}

/** A path on the simulated disk. */
export const onDisk = (...names: string[]) => join(DISK, ...names);

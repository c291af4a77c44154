import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";

/** The folder of the newest installed server; `undefined` if Debian's package `postgresql` is not installed. */
const binaries = globSync("/usr/lib/postgresql/*/bin").sort(
  (one, other) => versionOf(other) - versionOf(one),
)[0];

/** A PostgreSQL server of its own, on a socket in a temporary folder, without a port. */
export class Cluster {
  readonly folder: string;
  readonly #settings: readonly string[];
  readonly #owner: { uid?: number; gid?: number };
  #server: ChildProcess | null = null;

  /** The server refuses to run as root: then it runs as the user that Debian's package creates. */
  private constructor(settings: readonly string[]) {
    this.#settings = settings;
    this.folder = mkdtempSync(join(tmpdir(), "async-music-postgres-"));
    const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
    this.#owner = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
    if (this.#owner.uid) chownSync(this.folder, this.#owner.uid, this.#owner.gid ?? 0);
  }

  /** Returns null if the server is not installed. */
  static async create(...settings: readonly string[]): Promise<Cluster | null> {
    if (binaries === undefined) return null;
    const cluster = new Cluster(settings);
    cluster.#execute("initdb", "-U postgres -A trust -E UTF8 --no-locale --no-sync");
    await cluster.start();
    return cluster;
  }

  /** A standby of this server. From now on, each commit waits until the standby has it. */
  async addStandby(): Promise<Cluster> {
    const standby = new Cluster(this.#settings);
    standby.#execute(
      "pg_basebackup",
      `-U postgres -h ${this.folder} --write-recovery-conf --checkpoint=fast`,
    );
    await standby.start();
    const client = new Client(this.connection);
    await client.connect();
    await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await client.query("SELECT pg_reload_conf()");
    const isSynchronous = async () => {
      const { rows } = await client.query("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'");
      return rows.length > 0;
    };
    while (!(await isSynchronous())) await setTimeout(10);
    await client.end();
    return standby;
  }

  /** Makes the standby a primary. */
  promote(): void {
    this.#execute("pg_ctl", "promote");
  }

  #execute(program: string, flags: string): void {
    const options = { ...this.#owner, cwd: this.folder, stdio: "ignore" } as const;
    execFileSync(join(binaries ?? "", program), ["-D", this.#data, ...flags.split(" ")], options);
  }

  get #data(): string {
    return join(this.folder, "data");
  }

  /** How `pg` connects. */
  get connection() {
    return { host: this.folder, user: "postgres", database: "postgres" };
  }

  /** Resolves when the server accepts connections. The operating system survives, so nothing needs to reach the disk. */
  async start(): Promise<void> {
    const all = [
      "listen_addresses=",
      `unix_socket_directories=${this.folder}`,
      "fsync=off",
      // Several files of tests use one server, and some of them start many processes.
      "max_connections=400",
      ...this.#settings,
    ];
    const flags = ["-D", this.#data, ...all.flatMap((setting) => ["-c", setting])];
    const options = { ...this.#owner, cwd: this.folder, stdio: "ignore" } as const;
    const spawnServer = () => spawn(join(binaries ?? "", "postgres"), flags, options);
    this.#server = spawnServer();
    for (let tries = 0; !(await canConnect(this.connection)); tries++) {
      if (tries === 1000) throw new Error("postgres does not respond");
      await setTimeout(10);
      // A process that was just killed may still hold the shared memory.
      if (this.#server.exitCode !== null) this.#server = spawnServer();
    }
  }

  /** Ends the server and all its processes at once, as a power cut would. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server?.pid === undefined || server.exitCode !== null) return;
    const ended = once(server, "exit");
    // While it is stopped, it starts no other process.
    server.kill("SIGSTOP");
    const children =
      readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8").match(/\d+/g) ?? [];
    for (const child of children) process.kill(Number(child), "SIGKILL");
    server.kill("SIGKILL");
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function canConnect(connection: ClientConfig): Promise<boolean> {
  const client = new Client(connection);
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

function versionOf(path: string): number {
  return Number(/\d+/.exec(path)?.[0]);
}

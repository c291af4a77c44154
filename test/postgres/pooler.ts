import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { canConnect } from "./cluster.js";

/** PgBouncer in transaction mode: each statement or transaction may use another connection to the server. */
export class Pooler {
  readonly folder: string;
  readonly #process: ChildProcess;

  private constructor(folder: string, process: ChildProcess) {
    this.folder = folder;
    this.#process = process;
  }

  /**
   * @param host - the folder of the server's socket
   * @param connections - how many connections to the server the pooler opens
   * @throws Error if Debian's package `pgbouncer` is not installed
   */
  static async start(host: string, connections: number): Promise<Pooler> {
    if (spawnSync("pgbouncer", ["--version"]).status !== 0)
      throw new Error("These tests need PgBouncer: install Debian's package pgbouncer");
    const folder = mkdtempSync(join(tmpdir(), "async-music-pgbouncer-"));
    // It refuses to run as root, as the server does.
    chmodSync(folder, 0o777);
    const users = join(folder, "users");
    writeFileSync(users, '"postgres" ""\n');
    const settings = {
      unix_socket_dir: folder,
      auth_type: "trust",
      auth_file: users,
      pool_mode: "transaction",
      default_pool_size: connections,
      max_client_conn: 500,
      // The default is 15 s.
      server_login_retry: 1,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const file = join(folder, "settings");
    writeFileSync(
      file,
      ["[databases]", `* = host=${host} user=postgres`, "[pgbouncer]", ...lines].join("\n"),
    );
    const user = process.getuid?.() === 0 ? ["-u", "postgres"] : [];
    const pooler = new Pooler(folder, spawn("pgbouncer", [...user, file], { stdio: "ignore" }));
    for (let tries = 0; !(await canConnect(pooler.connection)); tries++) {
      if (tries === 1000) throw new Error("pgbouncer does not respond");
      await setTimeout(10);
    }
    return pooler;
  }

  /** How `pg` connects. */
  get connection() {
    return { host: this.folder, port: 6432, user: "postgres", database: "postgres" };
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The socket of the Redis server for the tests; `null` if `redis-server` is not installed. */
    redisSocket: string | null;
  }
}

/**
 * Starts Redis on a socket, without a port and without files. If `redis-server` is missing, only the tests of Redis
 * fail: an error here would end all tests.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const isInstalled = spawnSync("redis-server", ["--version"]).status === 0;
  if (!isInstalled) {
    project.provide("redisSocket", null);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "async-music-redis-"));
  const socket = join(folder, "socket");
  const flags = ["--port", "0", "--unixsocket", socket, "--dir", folder, "--save", "", "--appendonly", "no"];
  const server = spawn("redis-server", flags, { stdio: "ignore" });
  await untilItAnswers(server, socket);
  project.provide("redisSocket", socket);
  return async () => {
    const ended = once(server, "exit");
    server.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
}

async function untilItAnswers(server: ChildProcess, socket: string): Promise<void> {
  for (let attempt = 0; attempt < 100 && server.exitCode === null; attempt++) {
    const { stdout } = spawnSync("redis-cli", ["-s", socket, "ping"], { encoding: "utf8" });
    if (stdout?.trim() === "PONG") return;
    await setTimeout(50);
  }
  throw new Error("redis-server does not respond");
}

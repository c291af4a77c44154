import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Redis } from "ioredis";
import { onTestFinished, test } from "vitest";
import { openRedis } from "../support/budget-orders.js";
import { createFolder } from "../support/folder.js";
import { killOrders } from "../support/kill-orders.js";

/** `BUDGET_KILLS=300` runs the whole test, in a few minutes. */
const KILLS = Number(process.env["BUDGET_KILLS"] ?? 24);

test(
  "processes and servers that are killed spend no credit too many, and leave no reservation",
  async () => {
    const folder = await createFolder();
    const address = join(folder, "socket");
    const durably = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"];
    const flags = ["--port", "0", "--unixsocket", address, "--dir", folder, ...durably];
    const spawnServer = () => spawn("redis-server", flags, { stdio: "ignore" });
    const stop = async (process: ChildProcess) => {
      process.kill("SIGKILL");
      await once(process, "exit");
    };
    let running = spawnServer();
    onTestFinished(() => stop(running));
    const redis = new Redis({ path: address, retryStrategy: () => 20 });
    redis.on("error", () => {});
    onTestFinished(() => redis.disconnect());
    await redis.ping();
    const restart = async () => {
      await stop(running);
      running = spawnServer();
      await redis.ping();
    };
    await killOrders(KILLS, { kind: "redis", address, restart }, openRedis(redis));
  },
  120_000 + 5000 * KILLS,
);

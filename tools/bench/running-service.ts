import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "./services.ts";

/** Longer than any service takes to start. */
const LONGEST_START_MS = 60_000;

/** A service in a separate process. */
export interface RunningService extends AsyncDisposable {
  url: string;
  /** The time from the start of its command to its first response. */
  startSeconds: number;
  residentMebibytes(): number;
}

export async function startService(service: Service): Promise<RunningService> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { file, parameters, env } = service.command(port);
  const began = performance.now();
  const child = spawn(process.execPath, [file, ...parameters], {
    stdio: "ignore",
    env: { ...process.env, ...env },
  });
  await firstResponse(url);
  const startSeconds = (performance.now() - began) / 1000;
  return {
    url,
    startSeconds,
    residentMebibytes: () => Number(execFileSync("ps", ["-o", "rss=", "-p", `${child.pid}`])) / 1024,
    async [Symbol.asyncDispose]() {
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    },
  };
}

async function firstResponse(url: string): Promise<void> {
  for (let waited = 0; waited < LONGEST_START_MS; waited += 2) {
    try {
      await (await fetch(`${url}/`)).arrayBuffer();
      return;
    } catch {
      await sleep(2);
    }
  }
  throw new Error(`${url} did not respond within ${LONGEST_START_MS} ms.`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { TestResult } from "../../test/runtimes/test-runner.ts";
import { CHROMIUM } from "../browser/chromium.ts";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
const PATIENCE_MS = 120_000;

/** Runs a bundled page in Debian's Chromium; the page sends the results back. */
export async function runInChromium(scriptPath: string): Promise<TestResult[]> {
  const scripts = new Map([
    ["/page.mjs", await readFile(scriptPath)],
    ["/mockServiceWorker.js", await readFile(new URL(import.meta.resolve("msw/mockServiceWorker.js")))],
  ]);
  let settle: { resolve(results: TestResult[]): void; reject(reason: Error): void } | undefined;
  const results = new Promise<TestResult[]>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const server = createServer(async (request, response) => {
    if (request.method === "POST") settle?.resolve((await json(request)) as TestResult[]);
    const script = scripts.get(request.url ?? "");
    response.writeHead(200, { "Content-Type": script === undefined ? "text/html" : "text/javascript" });
    response.end(script ?? '<!doctype html><script type="module" src="/page.mjs"></script>');
  });
  await once(server.listen(0, "127.0.0.1"), "listening");

  const profile = await mkdtemp(join(tmpdir(), "async-music-chromium-"));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const flags = [...FLAGS, `--user-data-dir=${profile}`, address];
  const browser = spawn(CHROMIUM, flags, { stdio: "ignore" });
  browser.once("error", (error) => settle?.reject(error));
  browser.once("exit", (code) => settle?.reject(new Error(`Chromium ended with status ${code}`)));
  const patience = setTimeout(
    () => settle?.reject(new Error("Chromium sent no results in time")),
    PATIENCE_MS,
  );
  try {
    return await results;
  } finally {
    clearTimeout(patience);
    if (browser.exitCode === null && browser.kill()) await once(browser, "exit");
    server.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

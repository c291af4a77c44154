import { createRequire } from "node:module";
import type { TestResult } from "../../test/runtimes/test-runner.ts";

/** Runs a bundled worker in workerd, the runtime of Cloudflare Workers. */
export async function runInWorkerd(scriptPath: string): Promise<TestResult[]> {
  const require = createRequire(new URL("package.json", import.meta.url));
  const { Miniflare } = require("miniflare");
  const worker = new Miniflare({
    modules: true,
    scriptPath,
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
  });
  try {
    const response = await worker.dispatchFetch("http://worker.invalid/");
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  } finally {
    await worker.dispose();
  }
}

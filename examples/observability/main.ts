/**
 * Songs of three customers on the emulator, with failures, and their metrics for Prometheus until Ctrl-C.
 *
 * Run it with `npx node examples/observability/main.ts`, and then: `curl http://127.0.0.1:9464/metrics`
 */

import { AsyncMusic, type TaskRequest } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serveMetrics } from "./metrics.ts";

const emulator = createEmulator({ seed: 1 });
const client = new AsyncMusic(emulator.connection());
const metrics = await serveMetrics(client, Number(process.env["PORT"] ?? 9464));

// One song fails, one submission has an unknown outcome, and one request gets a 429.
emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "before" } });
emulator.faults.add({ method: "GET", fault: { kind: "status", status: 429, when: "before" } });

const customers = ["acme", "globex", "initech"];
const requests = Array.from({ length: 30 }, (_, index) => {
  const input = { gpt_description_prompt: `song ${index}, slow fado with a guitar` };
  return { model: "provider_a", task_type: "music", input } as const satisfies TaskRequest;
});
const tenant = (_request: object, index: number) => customers[index % customers.length] ?? "acme";
for await (const { index, task } of client.tasks.runAll(requests, { tenant, concurrency: 30 }))
  console.log(`song ${index}: ${task?.status ?? "no result"}`);
console.log(`All songs have ended. Metrics: ${metrics.url}`);

process.once("SIGINT", async () => {
  await metrics.close();
  await emulator[Symbol.asyncDispose]();
});

/** A process that makes one call, and is suspended while it waits for the response. It prints what the call resolved with. */

import { AsyncMusic } from "../../src/index.js";

const [baseUrl = "", apiKey = "", call = "", timeoutMs = ""] = process.argv.slice(2);
const client = new AsyncMusic({ baseUrl, apiKey, timeoutMs: Number(timeoutMs), maxRetries: 0 });
const request = { model: "provider_b", task_type: "music", input: { prompt: "rain" } } as const;

const calls: Record<string, () => Promise<unknown>> = {
  create: async () => (await client.tasks.create(request)).task_id,
  balance: async () => (await client.account.balance()).available,
  download: async () => (await (await client.audio.download(`${baseUrl}/audio`)).arrayBuffer()).byteLength,
};

try {
  process.stdout.write(String(await calls[call]?.()));
} catch (error) {
  process.stdout.write(String(error));
}

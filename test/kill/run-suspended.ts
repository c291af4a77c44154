/** A process that makes one call, and is suspended while it waits for the response. It prints what the call resolved with. */

import dns from "node:dns";
import { AsyncMusic } from "../../src/index.js";

const [baseUrl = "", apiKey = "", call = "", timeoutMs = ""] = process.argv.slice(2);
const client = new AsyncMusic({ baseUrl, apiKey, timeoutMs: Number(timeoutMs), maxRetries: 0 });
const request = { model: "provider_b", task_type: "music", input: { prompt: "rain" } } as const;

const calls: Record<string, () => Promise<unknown>> = {
  create: async () => (await client.tasks.create(request)).task_id,
  balance: async () => (await client.account.balance()).available,
  download: async () => (await (await client.audio.download(`${baseUrl}/audio`)).arrayBuffer()).byteLength,
};

// The address of a host is found only after a second. An IP address is not looked up.
Object.assign(dns, {
  lookup(_host: string, _options: object, callback: (error: null, found: object[]) => void) {
    if (process.connected) process.send?.("connecting");
    setTimeout(() => callback(null, [{ address: "127.0.0.1", family: 4 }]), 1000);
  },
});

try {
  process.stdout.write(String(await calls[call]?.()));
} catch (error) {
  process.stdout.write(String(error));
}
process.disconnect?.();

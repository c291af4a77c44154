/** One of the two servers that `speed.ts` compares, in a process of its own; it says where it is, and for which key. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";

const PLENTY = 1e9;

const start = { emulator: startEmulator, bare: startBare }[process.argv[2] ?? ""];
if (start === undefined) throw new Error("Expected to be told to be `emulator` or `bare`");
process.send?.(await start());

async function startEmulator() {
  const emulator = createEmulator({ clock: "real", credits: PLENTY, limits: { requests: PLENTY } });
  const { url } = await serve(emulator);
  return { url, apiKey: emulator.apiKey };
}

/** The least that Node can do: the request is read to its end, and answered with JSON of the same shape. */
async function startBare() {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    if (request.method === "POST") for await (const chunk of request) chunks.push(chunk);
    const [status, data] = request.method === "POST" ? [202, SUBMISSION] : [200, TASK];
    const body = JSON.stringify({ code: status, data });
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: "none" };
}

const SUBMISSION = {
  task_id: "5ba53ba9-9b4b-4e4c-8a30-5f2d3a6d5a2f",
  type: "music",
  status: "pending",
  credits_charged: 10,
  created_at: "2026-01-01T00:00:00.000Z",
  audio_format: null,
};

const TASK = {
  task_id: "5ba53ba9-9b4b-4e4c-8a30-5f2d3a6d5a2f",
  model: "provider_a",
  type: "music",
  status: "running",
  credits_cost: 10,
  input: { gpt_description_prompt: "rain in Lisbon" },
  audio_format: null,
  output: { task_type: "music", status: "processing", progress: "50%", fail_reason: null, result: null },
  error: null,
  error_code: null,
  retryable: null,
  retry_after_seconds: null,
  created_at: "2026-01-01T00:00:00.000Z",
  completed_at: null,
};

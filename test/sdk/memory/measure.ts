/** Measures retained memory in a separate process with --expose-gc. Prints bytes as JSON. */

import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { redisJournal } from "../../../src/databases/redis/index.js";
import { AsyncMusic } from "../../../src/index.js";
import { fileJournal, saveAudio } from "../../../src/node/index.js";

const MEBIBYTE = 2 ** 20;
const URL_OF_AUDIO = "http://127.0.0.1/song";

/** A client that lives as long as the process. */
const redis = { eval: async () => null };

/** Signals that live as long as the process. */
const shared: AbortSignal[] = [];

const [what = "", url = "", path = ""] = process.argv.slice(2);
const measurements: Record<string, () => Promise<unknown>> = {
  "bare fetch": () => peakDuring(saveBare),
  "saved download": () => peakDuring(saveDownload),
  "repeated work": async () => ({
    "an unread download": await bytesEach(downloadWith(async () => {})),
    "a download that is left after one read": await bytesEach(
      downloadWith(async (body) => {
        await body.getReader().read();
      }),
    ),
    "a download that is canceled after all its bytes have arrived": await bytesEach(
      downloadWith(
        (body) => body.cancel(),
        (to) => to.close(),
      ),
    ),
    "a file journal": await bytesEach(async (index) => void fileJournal(`journals/${index}`)),
    "a Redis journal": await bytesEach(createRedisJournal),
  }),
};
const measure = measurements[what];
if (measure === undefined) throw new Error(`Unknown measurement: ${what}`);
console.log(JSON.stringify(await measure()));

/** Bytes in use after repeated garbage collection. */
async function retainedBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 6; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
    const { heapUsed, external } = process.memoryUsage();
    least = Math.min(least, heapUsed + external);
  }
  return least;
}

/** The most that is retained while a body arrives, measured every 40 MiB while the body is held back. */
async function peakDuring(work: (fetch: typeof globalThis.fetch) => Promise<unknown>): Promise<number> {
  let peak = 0;
  let received = 0;
  let measureAt = 0;
  const meter = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(piece, controller) {
        received += piece.byteLength;
        if (received >= measureAt) {
          measureAt += 40 * MEBIBYTE;
          peak = Math.max(peak, await retainedBytes());
        }
        controller.enqueue(piece);
      },
    });
  await work(async (input, init) => {
    const response = await fetch(input, init);
    return new Response(response.body?.pipeThrough(meter()), response);
  });
  if (received !== 200 * MEBIBYTE) throw new Error(`Received ${received} bytes`);
  return peak;
}

async function saveBare(fetch: typeof globalThis.fetch): Promise<void> {
  const { body } = await fetch(url);
  await pipeline(Readable.from(body ?? []), createWriteStream(path));
}

async function saveDownload(fetch: typeof globalThis.fetch): Promise<void> {
  const client = new AsyncMusic({ apiKey: "key", baseUrl: url, fetch });
  await saveAudio(await client.audio.download(url), path);
}

/** Downloads that share one long-lived signal. */
function downloadWith(
  use: (body: ReadableStream) => Promise<void>,
  sent: (to: ReadableStreamDefaultController) => void = () => {},
): () => Promise<void> {
  const fetch = async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(100));
        sent(controller);
      },
    });
    return new Response(body, { headers: { "Content-Type": "audio/mpeg" } });
  };
  const client = new AsyncMusic({ apiKey: "key", baseUrl: "http://127.0.0.1", fetch });
  const { signal } = new AbortController();
  shared.push(signal);
  return async () => use((await client.audio.download(URL_OF_AUDIO, { signal })).body);
}

async function createRedisJournal(index: number): Promise<void> {
  Reflect.apply(redisJournal, null, [redis, { prefix: String(index) }]);
}

/** The bytes that one repetition retains. */
async function bytesEach(repeat: (index: number) => Promise<void>): Promise<number> {
  const [batch, batches] = [500, 5];
  let before = 0;
  for (let index = 0; index < batch * batches; index++) {
    await repeat(index);
    // Collect in between: the runtime's own tables grow and never shrink.
    if (index + 1 === batch) before = await retainedBytes();
    else if ((index + 1) % batch === 0) await retainedBytes();
  }
  return ((await retainedBytes()) - before) / (batch * (batches - 1));
}

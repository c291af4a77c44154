import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { build } from "esbuild";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  GetObjectCommand,
  ListObjectsV2Command,
  Miniflare,
  S3Client,
  startFauxqs,
} from "../../tools/storage/services.js";
import { createFolder } from "../support/folder.js";
import { SONG_REQUEST } from "../support/responses.js";
import { environment } from "./support/environment.js";

// The example of docs/store-audio.md against a server of S3 with the AWS SDK, and against R2 in workerd.

interface StoredObject {
  bytes: Uint8Array;
  contentType: string | undefined;
  /** Changes if the object is stored again. */
  storedAt: number | undefined;
}

/** A program that stores songs in a bucket, and the bucket. */
interface Store {
  /** Starts the program. Without a task, it stores a broken body. Resolves with what it prints. */
  start(taskId: string): { output: Promise<unknown>; kill: () => Promise<void> };
  objects(): Promise<Map<string, StoredObject>>;
}

type Connection = { ASYNC_MUSIC_API_KEY: string; ASYNC_MUSIC_BASE_URL: string };

describe.each([
  ["S3", createS3Store],
  ["R2", createR2Store],
])("in %s", (_, createStore) => {
  test("a song is stored whole; after a kill between its files, none is missing, and none is stored twice", async () => {
    const { emulator, client, connection } = await createService();
    const store = await createStore(connection);
    const { task_id: taskId } = await client.tasks.create(SONG_REQUEST);
    await emulator.clock.advance(10 * 60_000);
    const song = await client.tasks.wait(taskId);
    if (song.type !== "music") throw new Error("Invariant: the task is a song.");
    const clips = song.output.result;
    const sources = [
      ...clips.map(({ id, audio_url }) => ({ key: `songs/${taskId}/${id}-audio`, url: audio_url })),
      ...clips.map(({ id, image_url = "" }) => ({ key: `songs/${taskId}/${id}-cover`, url: image_url })),
    ];
    expect(sources.length).toBeGreaterThan(2);

    let stored = new Map<string, StoredObject>();
    for (const [count, { url }] of sources.entries()) {
      // The download of this file does not begin, so that the program is killed before it.
      emulator.faults.add({ path: new URL(url).pathname, fault: { kind: "stall" } });
      const run = store.start(taskId);
      const ended = run.output.then((output) => {
        throw new Error(`The program ended with ${JSON.stringify(output)}.`);
      });
      while (stored.size < count) {
        await Promise.race([setTimeout(20), ended]);
        stored = await store.objects();
      }
      ended.catch(() => {});
      await run.kill();
      emulator.faults.clear();
      expect([...(await store.objects()).keys()].sort()).toEqual(
        sources
          .slice(0, count)
          .map(({ key }) => key)
          .sort(),
      );
    }
    const files = await store.start(taskId).output;
    const objects = await store.objects();
    const json = `songs/${taskId}/song.json`;
    expect([...objects.keys()].sort()).toEqual([...sources.map(({ key }) => key), json].sort());
    expect(JSON.parse(new TextDecoder().decode(objects.get(json)?.bytes))).toEqual({ taskId, files });
    for (const { key, url } of sources) {
      const response = await fetch(url);
      const source = await response.bytes();
      expect(objects.get(key)?.bytes.byteLength).toBe(source.byteLength);
      expect(Buffer.from(source).equals(objects.get(key)?.bytes ?? new Uint8Array())).toBe(true);
      expect(objects.get(key)?.contentType).toBe(response.headers.get("Content-Type"));
    }
    // What was there before the last run was not stored again, also by another one.
    for (const [key, { storedAt }] of stored) expect(objects.get(key)?.storedAt).toBe(storedAt);
    const requests = emulator.requests.length;
    expect(await store.start(taskId).output).toEqual(files);
    expect(await store.objects()).toEqual(objects);
    // The program has read the task, and no file.
    expect(emulator.requests.length).toBe(requests + 1);
  });

  test("a body that breaks is not stored", async () => {
    const { connection } = await createService();
    const store = await createStore(connection);
    const error = "The body broke.";
    expect(await store.start("").output).toEqual({ error, isStored: false });
    expect(await store.objects()).toEqual(new Map());
  });
});

test("the guide shows the code of both buckets", () => {
  const guide = readFileSync("docs/store-audio.md", "utf8");
  for (const name of ["s3", "r2"]) {
    const code = readFileSync(`examples/storage/${name}.ts`, "utf8");
    const body = /^export function [\s\S]*?^}$/m.exec(code)?.[0] ?? "missing";
    expect(guide).toContain(body);
  }
});

async function createService() {
  const emulator = createEmulator({ clock: "real", credits: 100 });
  const { url, close } = await serve(emulator);
  onTestFinished(close);
  const client = new AsyncMusic({ apiKey: emulator.apiKey, baseUrl: url });
  return {
    emulator,
    client,
    connection: { ASYNC_MUSIC_API_KEY: emulator.apiKey, ASYNC_MUSIC_BASE_URL: url },
  };
}

async function createS3Store(connection: Connection): Promise<Store> {
  const server = await startFauxqs({ port: 0, logger: false });
  onTestFinished(() => server.stop());
  server.createBucket("songs");
  const endpoint = `http://127.0.0.1:${server.port}`;
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const s3 = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials });
  onTestFinished(() => s3.destroy());
  const program = join(await createFolder(), "store.mjs");
  await bundle("store-in-s3", "node", program);
  const env = { ...environment, ...connection, S3_ENDPOINT: endpoint };
  return {
    start(taskId) {
      const stdio = ["ignore", "pipe", "inherit"] as const;
      const child = spawn(process.execPath, [program], {
        stdio: [...stdio],
        env: { ...env, TASK_ID: taskId },
      });
      const exit = once(child, "exit");
      return { output: outputOf(child, exit), kill: () => killed(child, exit) };
    },
    async objects() {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: "songs" }));
      const objects = new Map<string, StoredObject>();
      for (const { Key = "" } of Contents) {
        const object = await s3.send(new GetObjectCommand({ Bucket: "songs", Key }));
        const bytes = (await object.Body?.transformToByteArray()) ?? new Uint8Array();
        const storedAt = object.LastModified?.getTime();
        objects.set(Key, { bytes, contentType: object.ContentType, storedAt });
      }
      return objects;
    },
  };
}

async function outputOf(child: ChildProcess, exit: Promise<unknown[]>): Promise<unknown> {
  const output = child.stdout === null ? "" : await text(child.stdout);
  const [status, signal] = await exit;
  if (signal !== null) return signal;
  expect(status).toBe(0);
  return JSON.parse(output);
}

async function killed(child: ChildProcess, exit: Promise<unknown[]>): Promise<void> {
  child.kill("SIGKILL");
  await exit;
}

/** What is used of `R2Bucket`. */
interface ReadableR2 {
  list(): Promise<{ objects: { key: string }[] }>;
  get(key: string): Promise<{
    arrayBuffer(): Promise<ArrayBuffer>;
    httpMetadata?: { contentType?: string };
    uploaded: Date;
  } | null>;
}

async function createR2Store(bindings: Connection): Promise<Store> {
  const folder = await createFolder();
  const script = await bundle("store-in-r2", "neutral");
  const open = () =>
    new Miniflare({
      modules: true,
      script,
      compatibilityDate: "2026-07-01",
      bindings,
      r2Buckets: ["SONGS"],
      r2Persist: folder,
    });
  // The runtime that stores; each kill ends it, and the next start opens another one with the same objects.
  let runtime = open();
  onTestFinished(() => runtime.dispose());
  return {
    start(taskId) {
      const current = runtime;
      const output = current
        .dispatchFetch(`https://worker.example/${taskId}`)
        .then((response) => response.json())
        .catch((error: unknown) => error);
      return {
        output,
        async kill() {
          await current.dispose();
          runtime = open();
        },
      };
    },
    async objects() {
      // The types of Miniflare need packages of Cloudflare that the tests do not.
      const bucket: ReadableR2 = Object(await runtime.getR2Bucket("SONGS"));
      const objects = new Map<string, StoredObject>();
      for (const { key } of (await bucket.list()).objects) {
        const object = await bucket.get(key);
        if (object === null) throw new Error("Invariant: a listed object exists.");
        objects.set(key, {
          bytes: new Uint8Array(await object.arrayBuffer()),
          contentType: object.httpMetadata?.contentType,
          storedAt: object.uploaded.getTime(),
        });
      }
      return objects;
    },
  };
}

const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** The program as one file, with the built package. */
async function bundle(name: string, platform: "node" | "neutral", outfile?: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`test/examples/support/${name}.ts`],
    bundle: true,
    format: "esm",
    platform,
    nodePaths: ["tools/storage/node_modules"],
    // The AWS SDK calls `require`.
    ...(platform === "node" && { banner: { js: REQUIRE } }),
    ...(outfile === undefined ? { write: false } : { outfile }),
  });
  return outputFiles?.[0]?.text ?? "";
}

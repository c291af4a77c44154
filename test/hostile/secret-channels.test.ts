import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { AsyncMusic, type ClientOptions, memoryJournal, type TaskRequest } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { fileJournal } from "async-music/node";
import { beforeEach, describe, expect, test } from "vitest";
import { connectMcp } from "../cli/support/mcp.js";
import { createChangedTerminal, createFolder } from "../cli/support/terminal.js";
import { printings } from "../support/leaks.js";
import { createLog } from "../support/log.js";
import { reasonOf } from "../support/rejection.js";
import { createSpans } from "../support/tracing.js";

// Secrets are planted in every place of a response that a server controls. Each output channel then is searched for them.

const PROMPT = "planted-prompt-5c1e about rain";
const LYRICS = "planted-lyrics-9a7b in the sea";
const SONG: TaskRequest = {
  model: "provider_a",
  task_type: "music",
  input: { prompt: LYRICS, tags: PROMPT },
};

/** How the service responds to creates and reads; `{}` for what it does by itself. */
const BEHAVIORS: Record<string, { create?: number; read?: number; outcome?: "failure" | "success" }> = {
  "a success": {},
  "a refused request": { create: 400 },
  "a refused key": { create: 401, read: 401 },
  "an unknown outcome": { create: 500 },
  "a rate limit": { create: 429, read: 429 },
  "an outage of reads": { read: 503 },
  "a missing task": { read: 404 },
  "a failed task": { outcome: "failure" },
};

let emulator: Emulator;
let folder: string;
let journal: string;
let key: string;
beforeEach(async () => {
  emulator = createEmulator({ seed: 1, credits: 1000, limits: { requests: 100_000 } });
  key = emulator.apiKey;
  folder = await createFolder();
  journal = join(folder, "journal");
  return () => emulator[Symbol.asyncDispose]();
});

/** Adds the key to all headers and texts of a response that the service could put it into. */
async function echoing(response: Response, { method, url }: Request, behavior: (typeof BEHAVIORS)[string]) {
  const status = method === "POST" ? behavior.create : behavior.read;
  if (!/\/api\/v1\//.test(url)) return response;
  const headers = { "X-Echo": key, "X-Request-Id": `id-${key}`, "Content-Type": "application/json" };
  if (status !== undefined) {
    const body = { code: status, error_code: `code_${key}`, message: `no ${key}`, retry_after_seconds: 3600 };
    return new Response(JSON.stringify(body), { status, headers });
  }
  const body = await response.json();
  const { data } = body;
  if (data?.status === "failure") Object.assign(data, { error: `refused ${key}`, error_code: `code_${key}` });
  if (data?.output) data.output.progress = `45% ${key}`;
  if (data !== undefined) Object.assign(data, { echo: key, audio_format: data.audio_format ?? null });
  return new Response(JSON.stringify(body), { status: response.status, headers });
}

function connectionFor(behavior: (typeof BEHAVIORS)[string]) {
  const { fetch, ...connection } = emulator.connection();
  if (behavior.outcome !== undefined)
    emulator.providers.provider_a.always({ outcome: behavior.outcome, error: "no" });
  const changed: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    return echoing(await fetch(request), request, behavior);
  };
  return { ...connection, fetch: changed };
}

/** What one channel has shown. Of an object, all ways of printing it. */
type Channel = [name: string, text: string];

const shown = (name: string, value: unknown): Channel[] =>
  Object.entries(printings(value)).map(([how, text]) => [`${name}, ${how}`, text]);

/** The channels of a client that does everything once. */
async function clientChannels(behavior: (typeof BEHAVIORS)[string]): Promise<Channel[]> {
  const log = createLog();
  const { provider, spans } = createSpans();
  const options: ClientOptions = {
    ...connectionFor(behavior),
    ...{ logger: log, logLevel: "debug", tracer: provider.getTracer("test"), random: () => 0 },
  };
  const client = new AsyncMusic(options);
  const events: unknown[] = [];
  for (const name of ["attempt", "response", "wait", "retry", "pause", "task"] as const)
    client.on(name, (event) => events.push(event));
  const wait = { maxWaitMs: 20_000 };
  const memory = memoryJournal();
  const errors: unknown[] = [];
  for (const work of [
    () => client.tasks.create(SONG),
    () => client.tasks.run(SONG, { ...wait, journal: fileJournal(journal), journalKey: "rain" }),
    () => client.tasks.run(SONG, { ...wait, journal: fileJournal(journal), journalKey: "rain", probe: true }),
    () => client.tasks.run(SONG, { ...wait, journal: memory, journalKey: "rain", probe: true }),
    () => client.tasks.run({ ...SONG, input: { ...SONG.input, lyrics: 7 } } as unknown as TaskRequest),
    () => client.tasks.wait("11111111-1111-4111-8111-111111111111", wait),
    () => client.account.balance(),
    () => client.account.usage(),
  ])
    errors.push(await reasonOf(work()).catch(() => null));
  const ended = spans().map(({ name, attributes, events: of, status }) => ({ name, attributes, of, status }));
  return [
    ...shown("client", client),
    ...shown("parts of the client", [client.tasks, client.account, client.audio]),
    ...errors.filter((error) => error instanceof Error).flatMap((error) => shown("error", error)),
    ["parts of errors", JSON.stringify(errors.map((error) => Object(error).parts))],
    ...shown("log", log.lines),
    ...shown("events", events),
    ["spans", inspect(ended, { depth: 9 })],
    ["rate limit", JSON.stringify(client.rateLimit)],
  ];
}

/** The standard output and error of each command that sends requests or reads a journal. */
async function commandChannels(behavior: (typeof BEHAVIORS)[string]): Promise<Channel[]> {
  connectionFor(behavior);
  const { run } = createChangedTerminal(emulator, (response, request) =>
    echoing(response, request, behavior),
  );
  const report = join(folder, "drift.md");
  const id = "11111111-1111-4111-8111-111111111111";
  const out = ["--out", `${folder}/out/`];
  const song = ["run", "--prompt", LYRICS, "--tags", PROMPT, "--max-wait", "30s"];
  const channels: Channel[] = [];
  for (const args of [
    [...song, "--journal", journal, "--key", "cli", ...out],
    [...song, "--json", "--no-download"],
    ["run", "--prompt", LYRICS, "--seed", "1"],
    ["wait", id, "--max-wait", "30s", ...out],
    ["orders", "--journal", journal],
    ["orders", "--journal", journal, "--json"],
    ["settle", "cli", "--journal", journal, "--task-id", id],
    ["settle", "cli", "--journal", journal, "--not-created"],
    ["balance"],
    ["usage", "--json"],
    ["drift", "--max-credits", "0", "--report", report],
    ["wait", key],
    ["run", key],
    ["settle", key, "--journal", journal, "--not-created"],
    ["balance", "--base-url", `https://${key}@music.example`],
  ]) {
    const { stdout, stderr } = await run(...args);
    channels.push([`stdout of ${args[0]}`, stdout], [`stderr of ${args[0]}`, stderr]);
  }
  channels.push(["drift report", await readFile(report, "utf8").catch(() => "")]);
  return channels;
}

/** The results and notifications of the agent tools. */
async function toolChannels(behavior: (typeof BEHAVIORS)[string]): Promise<Channel[]> {
  const connection = connectionFor(behavior);
  const echoed: Emulator = Object.create(emulator, { connection: { value: () => connection } });
  const { client, end, written } = await connectMcp({ emulator: echoed, folder, journal });
  const channels: Channel[] = [];
  for (const [name, args] of [
    ["make_song", { order: "tool", lyrics: LYRICS, styles: PROMPT }],
    ["make_song", { order: "tool", lyrics: LYRICS, styles: PROMPT, seed: 1 }],
    ["write_lyrics", { order: "words", description: PROMPT }],
    ["check_order", { order: "tool" }],
    ["check_order", { order: "nothing" }],
    ["download_audio", { order: "tool" }],
    ["balance", {}],
  ] as const) {
    const onprogress = (progress: unknown) =>
      channels.push([`progress of ${name}`, JSON.stringify(progress)]);
    const result = await client.callTool({ name, arguments: args }, undefined, { onprogress });
    channels.push([`result of ${name}`, JSON.stringify(result)]);
  }
  await end();
  return [...channels, ["stderr of mcp", written.stderr]];
}

async function filesBelow(path: string): Promise<Channel[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !/\.(wav|mp3)$/.test(entry.name));
  return Promise.all(
    files.map(async ({ parentPath, name }): Promise<Channel> => {
      return [`file ${name}`, await readFile(join(parentPath, name), "utf8")];
    }),
  );
}

/** An error's `task` and `request`, the task of an event, and the result of a command contain the caller's own texts. */
const isData = ([name]: Channel) => /^(error, (inspect|JSON)|events, |stdout of run)/.test(name);

const leaking = (channels: readonly Channel[], secret: string) =>
  channels
    .filter(([, text]) => text.includes(secret))
    .map(([name, text]) => `${name}: ${around(text, secret)}`);
const around = (text: string, secret: string) =>
  text.slice(Math.max(0, text.indexOf(secret) - 100)).slice(0, 200);

const SHOWN = [
  ["channel of a client", clientChannels, 20],
  ["command", commandChannels, 30],
  ["agent tool", toolChannels, 8],
] as const;

describe.each(SHOWN)("no %s shows a secret", (_, channelsOf, fewest) => {
  test.each(Object.entries(BEHAVIORS))("after %s", async (_, behavior) => {
    const channels = await channelsOf(behavior);
    expect(channels.length).toBeGreaterThan(fewest);
    expect([...leaking(channels, key), ...leaking(await filesBelow(folder), key)]).toEqual([]);
    const texts = channels.filter((channel) => !isData(channel));
    expect([...leaking(texts, LYRICS), ...leaking(texts, PROMPT)]).toEqual([]);
  });
});

test("a key that the emulator did not issue is in nothing that the emulator shows or saves", async () => {
  const secret = "live_planted_key_71f3";
  const { url, fetch } = emulator;
  for (const path of ["/api/v1/task", "/api/v1/account/balance", "/nothing"])
    for (const method of ["GET", "POST"]) {
      const body = method === "POST" ? { body: JSON.stringify(SONG) } : {};
      const headers = { "x-api-key": secret, "Content-Type": "application/json" };
      await fetch(`${url}${path}`, { method, headers, ...body });
    }
  const channels: Channel[] = [
    ...shown("snapshot", emulator.snapshot()),
    ...shown("requests", emulator.requests),
    ...shown("audit", emulator.audit()),
    ...shown("emulator", emulator),
  ];
  for (const path of ["state", "requests", "exchanges", "audit", "snapshot", "usage"]) {
    const response = await fetch(`${url}/_emulator/${path}`);
    channels.push([`/_emulator/${path}`, await response.text()]);
  }
  expect(leaking(channels, secret)).toEqual([]);
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { settleOutcome } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { fileJournal } from "async-music/node";
import { expect, test } from "vitest";
import { bundle, paidTasks } from "./support.js";

const LINES = 24;
const MOST_ROUNDS = 60;
const LATENCY_MS = 60;

const { folder, script } = await bundle("test/kill/run-batch.ts");

const ids = Array.from({ length: LINES }, (_, index) => `song ${index}`);

test("a batch that is killed and interrupted at any time charges each line once, and saves all files", async () => {
  await using emulator = createEmulator({ clock: "real", credits: 10_000, limits: { requests: 100_000 } });
  emulator.providers.provider_b.always({
    outcome: "success",
    queue_seconds: 0,
    process_seconds: 0,
    clips: 1,
  });
  emulator.faults.add({ probability: 0.3, fault: { kind: "latency", ms: LATENCY_MS } });
  const { url, close } = await serve(emulator);
  const [file, out, path] = ["songs.jsonl", "songs", "journal"].map((name) => join(folder, name));
  if (file === undefined || out === undefined || path === undefined)
    throw new Error("Invariant: three paths.");
  const requests = ids.map((id) => ({ id, model: "provider_b", task_type: "music", input: { prompt: id } }));
  await writeFile(file, requests.map((request) => JSON.stringify(request)).join("\n"));
  const journal = fileJournal(path);
  const parameters = [url, emulator.apiKey, file, out, path];

  const ends: string[] = [];
  for (let round = 0; round < MOST_ROUNDS && ends.at(-1) !== "status 0"; round++) {
    // From the first step to after the last one: the moments differ in each round.
    ends.push(await liveAndDie(parameters, (round * 83) % 700, round % 3 === 2 ? "SIGINT" : "SIGKILL"));
    // A person settles what is unknown, by what the service has, once no request is in flight.
    await new Promise((resolve) => setTimeout(resolve, 3 * LATENCY_MS));
    const tasks = await tasksOf(emulator);
    for (const { key, state } of await journal.open())
      if (state === "intent") expect(await settleOutcome(journal, key, tasks.get(key) ?? null)).toBe(true);
  }
  if (ends.at(-1) !== "status 0") ends.push(await liveAndDie(parameters, 60_000, "SIGKILL"));
  expect(ends.at(-1)).toBe("status 0");
  expect(ends.filter((end) => end === "SIGKILL").length).toBeGreaterThan(3);

  const prompts = (await paidTasks(emulator)).map(({ input }) => String(input.prompt));
  expect(prompts.sort()).toEqual([...ids].sort());
  const names = (await readdir(out)).filter((name) => /\.mp3$/.test(name));
  expect(names.sort()).toEqual(ids.map((id) => `${id}.mp3`).sort());
  const results = (await readFile(join(out, "results.jsonl"), "utf8")).trimEnd().split("\n");
  expect(results.map((line) => JSON.parse(line).status)).toEqual(ids.map(() => "success"));
  await close();
});

/** Starts a batch, and sends it a signal this long after it has begun. */
async function liveAndDie(
  parameters: string[],
  afterMs: number,
  signal: "SIGKILL" | "SIGINT",
): Promise<string> {
  const child = spawn(process.execPath, [script, ...parameters], { stdio: ["ignore", "ignore", "pipe"] });
  await Promise.race([once(child.stderr, "data"), once(child, "exit")]);
  child.stderr.resume();
  const timer = setTimeout(() => child.kill(signal), afterMs);
  const [status, killedBy] = await once(child, "close");
  clearTimeout(timer);
  return killedBy ?? `status ${status}`;
}

/** The id of the task of each line. */
const tasksOf = async (emulator: Emulator) =>
  new Map((await paidTasks(emulator)).map(({ taskId, input }) => [String(input.prompt), taskId]));

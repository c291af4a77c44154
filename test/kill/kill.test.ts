import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { AsyncMusic, type JournalEntry, SubmissionOutcomeUnknownError } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { fileJournal } from "async-music/node";
import { expect, test } from "vitest";
import { bundle, paidTasks } from "./support.js";

const KEYS = 25;
const ROUNDS_PER_KEY = 2;
const PROCESSES_PER_ROUND = 2;

const { folder, script } = await bundle("test/kill/run-song.ts");

test("in fifty rounds, a process killed at any time creates no duplicate and loses no task", async () => {
  await using emulator = createEmulator({ clock: "real", credits: 10_000 });
  emulator.faults.add({ method: "POST", probability: 0.5, fault: { kind: "latency", ms: 10 } });
  const { url, close } = await serve(emulator);
  const path = join(folder, "journal");
  const keys = Array.from({ length: KEYS }, (_, index) => `song ${index}`);

  let killed = 0;
  const live = async (key: string, moment: number) => {
    for (let round = 0; round < ROUNDS_PER_KEY; round++) {
      const processes = Array.from({ length: PROCESSES_PER_ROUND }, (_, place) =>
        liveAndDie([url, emulator.apiKey, path, key], moment + 25 * round + 10 * place),
      );
      for (const isKilled of await Promise.all(processes)) killed += isKilled ? 1 : 0;
    }
  };
  for (let index = 0; index < KEYS; index += 2) {
    // Times from the first step to well after the last one, in turn.
    await Promise.all(keys.slice(index, index + 2).map((key, place) => live(key, 4 * (index + place))));
  }
  expect(killed).toBe(KEYS * ROUNDS_PER_KEY * PROCESSES_PER_ROUND);

  emulator.faults.clear();
  const left = await Promise.all(keys.map((key) => fileJournal(path).get(key)));
  const paid = await promptsOf(emulator);
  const ends = await Promise.all(keys.map((key) => finish(emulator, path, key)));
  await close();

  const paidInTheEnd = await promptsOf(emulator);
  expect(paidInTheEnd.length).toBe(new Set(paidInTheEnd).size);
  for (const [index, key] of keys.entries())
    expect([key, ends[index]]).toEqual([key, endOf(key, left[index], paid)]);
});

/** A free key is run, an intent is an unknown outcome, and a submitted key is waited for. */
function endOf(key: string, entry: JournalEntry | null | undefined, paid: readonly string[]): string {
  if (entry?.state === "intent") return "unknown";
  if (entry === null) expect(paid).not.toContain(key);
  else expect(paid).toContain(key);
  return "song";
}

/** Starts a process, and kills it this long after it has begun. */
async function liveAndDie(parameters: string[], afterMs: number): Promise<boolean> {
  const child: ChildProcess = spawn(process.execPath, [script, ...parameters], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("Invariant: the output is piped.");
  await once(child.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill("SIGKILL");
  const [, signal] = await once(child, "exit");
  return signal === "SIGKILL";
}

/** The result of a process that is not killed, on a clock that the service's time follows. */
async function finish(emulator: Emulator, path: string, journalKey: string): Promise<string> {
  const { clock, fetch, apiKey, url: baseUrl } = emulator;
  const skipping = { now: clock.now, sleep: (ms: number) => clock.advance(ms) };
  const client = new AsyncMusic({ baseUrl, apiKey, fetch, clock: skipping });
  const request = { model: "provider_b", task_type: "music", input: { prompt: journalKey } } as const;
  try {
    await client.tasks.run(request, { journal: fileJournal(path), journalKey });
    return "song";
  } catch (error) {
    return error instanceof SubmissionOutcomeUnknownError ? "unknown" : String(error);
  }
}

/** The orders of all created tasks, with duplicates. */
const promptsOf = async (emulator: Emulator) =>
  (await paidTasks(emulator)).map(({ input }) => String(input.prompt));

import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  type Journal,
  JournalError,
  memoryJournal,
  RateLimitedError,
  SubmissionOutcomeUnknownError,
  settleOutcome,
} from "async-music";
import { fileJournal } from "async-music/node";
import { postgresJournal } from "async-music/postgres";
import { redisJournal } from "async-music/redis";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createFolder } from "../support/folder.js";
import { interleave, type Stage } from "../support/interleavings.js";
import { journalEntry } from "../support/journals.js";
import { SONG_REQUEST } from "../support/responses.js";
import { createPostgresDouble, createRedisDouble } from "../support/store-doubles.js";

const KEY = "order-1";
const METHODS = ["get", "put", "delete"] as const;

/** Opens journals on an empty store. Each actor has one of its own, so that actors are processes to each other. */
type Store = (stage: Stage) => () => Required<Journal>;

const STORES: [name: string, store: Store][] = [
  [
    "memory",
    ({ slowly }) => {
      const entries = memoryJournal();
      return () => slowly(entries, METHODS);
    },
  ],
  [
    "Redis",
    ({ delay }) => {
      const redis = createRedisDouble(delay);
      return () => ({ ...redisJournal(redis) });
    },
  ],
  [
    "PostgreSQL",
    ({ delay }) => {
      const postgres = createPostgresDouble(delay);
      return () => ({ ...postgresJournal(postgres) });
    },
  ],
];

// PostgreSQL's journal hashes its keys. The platform does that in real time, in which the virtual clock would run ahead.
beforeEach(() => {
  vi.spyOn(crypto.subtle, "digest").mockImplementation(async (_, bytes) => {
    const digest = createHash("sha256")
      .update(new Uint8Array(bytes as ArrayBuffer))
      .digest();
    return new Uint8Array(digest).buffer;
  });
});
afterEach(() => void vi.restoreAllMocks());

/** Every change names the revision that it replaces: all changes form one chain from the empty key. */
async function changesFormOneChain({ actors, pick, delay }: Stage, open: () => Journal): Promise<void> {
  const changes: { from: string | null; to: string | null }[] = [];
  let revisions = 0;
  await actors(async (actor) => {
    const journal = open();
    for (let round = 0; round < 3; round++) {
      const from = (await journal.get(KEY))?.revision ?? null;
      await delay();
      const to = pick("intent", "submitted", "deleted") === "deleted" ? null : `${actor}.${revisions++}`;
      if (to === null && from === null) continue;
      const isDone = await (to === null
        ? journal.delete(KEY, from ?? "")
        : journal.put(KEY, journalEntry("intent", { revision: to }), from));
      if (isDone) changes.push({ from, to });
    }
  });
  const taken = changes.map(({ from }) => from).filter((from) => from !== null);
  expect(new Set(taken).size).toBe(taken.length);
  const last = (await open().get(KEY))?.revision ?? null;
  const isReplaced = (to: string | null) => to === last || taken.includes(to ?? "");
  for (const { to } of changes) if (to !== null) expect(isReplaced(to)).toBe(true);
  // Each begin from an empty key needs a deletion before it.
  const begins = changes.filter(({ from }) => from === null).length;
  const deletions = changes.filter(({ to }) => to === null).length;
  expect(begins - deletions).toBe(last === null ? 0 : 1);
}

describe.each(STORES)("a journal in %s", (_, store) => {
  test("lets one of several changes of a revision through", () =>
    interleave((stage) => changesFormOneChain(stage, store(stage))));

  test("holds at most one task per key, which every run of the key gets, whatever the service refuses or loses", () =>
    interleave(async (stage) => {
      const { emulator, client, clock, actors, pick, mayAbort } = stage;
      const open = store(stage);
      const fault = pick(
        null,
        { kind: "status", status: 429, retry_after_seconds: pick(1, 30), when: "before" } as const,
        { kind: "status", status: 402, error_code: "insufficient_credits", when: "before" } as const,
        { kind: "status", status: 500, when: pick("before", "after") } as const,
        { kind: "disconnect", when: pick("before", "after") } as const,
      );
      if (fault !== null) emulator.faults.add({ method: "POST", times: pick(1, 2, 3), fault });
      const isRefusal = fault === null || (fault.kind === "status" && fault.status < 500);

      const songs = new Set<string>();
      const ended = await actors(async () => {
        const { signal } = mayAbort(40_000);
        const options = { journal: open(), journalKey: KEY, signal };
        songs.add((await client().tasks.run(SONG_REQUEST, options)).task_id);
      });
      // A POST of an aborted run is completed.
      await clock.sleep(60_000);
      const { tasks } = emulator.state();
      expect(tasks.length).toBeLessThanOrEqual(1);
      for (const song of songs) expect(song).toBe(tasks[0]?.task_id);
      const entry = await open().get(KEY);
      if (tasks.length === 1) expect(entry).toMatchObject(isRefusal ? { state: "submitted" } : {});
      if (entry?.state === "submitted") expect(entry.task_id).toBe(tasks[0]?.task_id);
      if (isRefusal) expect(entry?.state).not.toBe("intent");
      if (fault === null && ended.every(({ status }) => status === "fulfilled")) expect(songs.size).toBe(1);

      const after = client().tasks.run(SONG_REQUEST, { journal: open(), journalKey: KEY });
      const error = await after.then(() => null).catch((thrown: unknown) => thrown);
      if (isRefusal && error !== null)
        expect([RateLimitedError.name, "InsufficientCreditsError"]).toContain(nameOf(error));
      expect(emulator.state().tasks.length).toBeLessThanOrEqual(1);
      expect(findings(emulator)).toEqual([]);
    }));

  test("keeps the latest settlement, and the service's own task, while runs record how their tasks end", () =>
    interleave(async (stage) => {
      const { emulator, client, clock, actors, pick, delay } = stage;
      const open = store(stage);
      const wrong = (await client().tasks.create(SONG_REQUEST)).task_id;
      const isLost = pick(true, false);
      if (isLost) emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
      const first = client().tasks.run(SONG_REQUEST, { journal: open(), journalKey: KEY });
      const begun = first.catch((error) => expect(error).toBeInstanceOf(SubmissionOutcomeUnknownError));
      if (isLost) await begun;
      await actors(async (actor) => {
        if (actor > 0) {
          await client()
            .tasks.run(SONG_REQUEST, { journal: open(), journalKey: KEY })
            .catch((error) => expect(error).toBeInstanceOf(SubmissionOutcomeUnknownError));
          return;
        }
        await settleOutcome(open(), KEY, wrong);
        await delay();
        const right = emulator.state().tasks.find(({ task_id }) => task_id !== wrong)?.task_id;
        if (right !== undefined) await settleOutcome(open(), KEY, right);
      });
      await begun;
      await clock.sleep(60_000);
      const tasks = emulator.state().tasks.filter(({ task_id }) => task_id !== wrong);
      if (tasks.length === 1) expect(await open().get(KEY)).toMatchObject({ task_id: tasks[0]?.task_id });
      expect(tasks.length).toBeLessThanOrEqual(1);
    }));
});

test("a file journal lets one of several changes of a revision through", () =>
  interleave(
    async (stage) => {
      const journal = fileJournal(join(await createFolder(), "journal"));
      await changesFormOneChain(stage, () => stage.slowly(journal, METHODS));
    },
    { runs: 15 },
  ));

test("no journal that loses calls, replies, or applies them late leads to a second task or to a free key of a task", () =>
  interleave(
    async (stage) => {
      const { emulator, client, clock, actors, pick, lossy } = stage;
      const entries = memoryJournal();
      const refusals = pick(0, 1, 2);
      const fault = {
        kind: "status",
        status: 429,
        retry_after_seconds: pick(1, 20),
        when: "before",
      } as const;
      if (refusals > 0) emulator.faults.add({ method: "POST", times: refusals, fault });
      const songs = new Set<string>();
      const unrecorded = new Set<string>();
      await actors(async () => {
        const journal = lossy(entries, METHODS, pick(0, 1, 3));
        const run = client().tasks.run(SONG_REQUEST, {
          journal,
          journalKey: KEY,
          onUnrecorded: ({ taskId }) => void unrecorded.add(taskId ?? ""),
        });
        await run.then(
          ({ task_id }) => songs.add(task_id),
          (error) => {
            const kinds = [JournalError, SubmissionOutcomeUnknownError, RateLimitedError];
            expect(kinds.some((kind) => error instanceof kind)).toBe(true);
            if (error instanceof JournalError && error.taskId === null && refusals === 0)
              expect(error.sent).toBe(false);
          },
        );
      });
      await clock.sleep(120_000);
      const { tasks } = emulator.state();
      expect(tasks.length).toBeLessThanOrEqual(1);
      for (const taskId of [...songs, ...unrecorded]) expect(taskId).toBe(tasks[0]?.task_id);
      const entry = await entries.get(KEY);
      if (tasks.length === 1) expect(entry).not.toBeNull();
      if (tasks.length === 1 && unrecorded.size === 0)
        expect(entry).toMatchObject({ task_id: tasks[0]?.task_id });
      expect(findings(emulator)).toEqual([]);
    },
    { runs: 60 },
  ));

test("a planned order is planned again after refusals, or has its task: it never vanishes", () =>
  interleave(async (stage) => {
    const { emulator, client, clock, actors, pick, delay, mayAbort } = stage;
    const postgres = createPostgresDouble(delay);
    const journal = postgresJournal(postgres);
    const planned = { ...journalEntry("intent", { settled: true, revision: "plan" }), planned: true };
    await journal.put(KEY, planned, null);
    const fault = pick(
      { kind: "status", status: 429, retry_after_seconds: 5, when: "before" } as const,
      { kind: "status", status: 402, error_code: "insufficient_credits", when: "before" } as const,
    );
    emulator.faults.add({ method: "POST", times: pick(1, 2, 9), fault });
    await actors(async () => {
      const { signal } = mayAbort(20_000);
      await client().tasks.run(SONG_REQUEST, { journal: { ...journal }, journalKey: KEY, signal });
    });
    await clock.sleep(60_000);
    const { tasks } = emulator.state();
    const entry = await journal.get(KEY);
    if (tasks.length === 1) expect(entry).toMatchObject({ state: "submitted", task_id: tasks[0]?.task_id });
    else expect(await journal.planned()).toMatchObject([{ key: KEY, request: SONG_REQUEST }]);
    expect(tasks.length).toBeLessThanOrEqual(1);
  }));

/** What no journal may lead to. Processes that share no pacer know neither each other's polls nor each other's 429s. */
function findings(emulator: Stage["emulator"]) {
  return emulator.audit().filter(({ rule }) => rule === "resubmitted_after_unknown_outcome");
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : String(error);
}

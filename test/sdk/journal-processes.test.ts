import {
  AsyncMusic,
  type ClientOptions,
  memoryJournal,
  type RunOptions,
  SubmissionOutcomeUnknownError,
  settleOutcome,
} from "async-music";
import { createEmulator } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { BADLY_JOINED } from "../support/badly-joined.js";
import { journaledWorld, KEY } from "../support/journaled.js";
import { journalEntry, posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { done, lost, refusal, SONG_REQUEST, serve, succeeded, TASK_ID } from "../support/responses.js";
import { createTestClock } from "../support/test-clock.js";
import { createWorld } from "../support/world.js";

// A run whose key holds the intent of another process. Its POST may be in flight.

/** A world whose key another process has just taken. */
async function foreignIntent() {
  const world = journaledWorld(done);
  await world.write(journalEntry("intent"));
  return world;
}

test("a run waits up to two seconds for another process's intent to become a task, and shares the task", async () => {
  const world = await foreignIntent();
  const submitted = journalEntry("submitted");
  void world.clock.sleep(1500).then(() => world.inner.put(KEY, submitted, "revision-intent"));
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toEqual([]);
});

test("the two seconds start again when a third process's intent replaces the other", async () => {
  const world = await foreignIntent();
  const { clock, inner } = world;
  const third = { revision: "revision-third" };
  void clock.sleep(1500).then(() => inner.put(KEY, journalEntry("intent", third), "revision-intent"));
  void clock.sleep(3000).then(() => inner.put(KEY, journalEntry("submitted"), third.revision));
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toEqual([]);
});

test("a run sends its POST when another process withdraws its intent", async () => {
  const world = journaledWorld(serve);
  await world.write(journalEntry("intent"));
  void world.clock.sleep(600).then(() => world.inner.delete(KEY, "revision-intent"));
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(1);
});

test("another process's intent that stays one is an unknown outcome after two seconds", async () => {
  const { run, clock, requests } = await foreignIntent();
  const error = await rejection(run(), SubmissionOutcomeUnknownError);
  expect(error).toMatchObject({ request: SONG_REQUEST, requestId: "request-1", status: null });
  expect(clock.elapsed()).toBe(2000);
  expect(requests).toEqual([]);
});

test("of many processes that start at once, one posts", async () => {
  const inner = memoryJournal();
  const worlds = Array.from({ length: 5 }, () => journaledWorld(serve, { inner }));
  const songs = await Promise.all(worlds.map(({ run }) => run()));
  expect(songs).toEqual(worlds.map(() => succeeded()));
  expect(worlds.flatMap(posts)).toHaveLength(1);
});

test("a POST of another process may be in flight for two minutes: only then the error advises to settle the key", async () => {
  const { run, clock, write } = journaledWorld(serve);
  const at = new Date(clock.now()).toISOString();
  const checkAgainAt = new Date(clock.now() + 120_000);
  await write(journalEntry("intent", { at, tasks_created: 7 }));
  const early = await rejection(run({ probe: true }), SubmissionOutcomeUnknownError);
  expect(early).toMatchObject({ checkAgainAt, requestId: "request-1", journalKey: KEY });
  expect(early.message).toContain(`run journal key "${KEY}" again at ${checkAgainAt.toISOString()} or later`);
  expect(early.message).not.toMatch(/settleOutcome|probably not created/);
  expect(early.message).not.toMatch(BADLY_JOINED);
  expect(JSON.parse(JSON.stringify(early))).toMatchObject({ checkAgainAt: checkAgainAt.toISOString() });

  await clock.sleep(118_000);
  const late = await rejection(run(), SubmissionOutcomeUnknownError);
  expect([late.checkAgainAt, late.message]).toEqual([null, expect.stringContaining("settleOutcome")]);
});

test.each([
  ["a lost connection", lost],
  ["a 502", () => refusal(502, "upstream_provider_error")],
  ["a 408", () => new Response("", { status: 408 })],
  ["a redirect", () => new Response(null, { status: 302, headers: { Location: "https://a.example" } })],
])(
  "after %s no run of any process advises to settle the key before two minutes are over",
  async (_, answer) => {
    const { run, inner, clock } = journaledWorld(answer);
    const until = new Date(clock.now() + 120_000);
    const other = journaledWorld(answer, { inner, clock });
    for (const process of [run, run, other.run]) {
      const { checkAgainAt, message } = await rejection(process(), SubmissionOutcomeUnknownError);
      expect(checkAgainAt).toEqual(until);
      expect(message).toContain("do not settle it with null before that time");
      expect(message).not.toContain("settleOutcome");
    }
    await clock.sleep(until.getTime() - clock.now());
    for (const process of [run, other.run]) {
      const { checkAgainAt, message } = await rejection(process(), SubmissionOutcomeUnknownError);
      expect([checkAgainAt, message]).toEqual([null, expect.stringContaining("settleOutcome")]);
    }
  },
);

test("who follows the message after a POST that the service handles late is charged once", async () => {
  const emulator = createEmulator();
  const { fetch, ...connection } = emulator.connection();
  let late = async (): Promise<unknown> => undefined;
  const losing: typeof fetch = (...args) => {
    const request = new Request(...args);
    if (request.method !== "POST") return fetch(request);
    late = () => fetch(request);
    return Promise.reject(new TypeError("fetch failed"));
  };
  const client = new AsyncMusic({ ...connection, fetch: losing });
  const journal = memoryJournal();
  const run = () =>
    rejection(
      client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY, probe: true }),
      SubmissionOutcomeUnknownError,
    );
  const { checkAgainAt, evidence } = await run();
  expect(evidence).toBe("not_created");
  await late();
  await emulator.clock.advance(Number(checkAgainAt) - emulator.clock.now());
  const again = await run();
  expect([again.checkAgainAt, again.evidence]).toEqual([null, "created"]);
});

test.each<[string, Pick<ClientOptions, "timeoutMs">, Pick<RunOptions, "timeoutMs">]>([
  ["the run", {}, { timeoutMs: 45_000 }],
  ["the client", { timeoutMs: 45_000 }, {}],
  ["the run, not of the client", { timeoutMs: 60_000 }, { timeoutMs: 45_000 }],
])("an entry has the `timeoutMs` of %s, also after a settlement", async (_, ofClient, ofRun) => {
  const journal = memoryJournal();
  const { client } = createWorld(lost, ofClient);
  const limits = [];
  const run = client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY, ...ofRun });
  await rejection(run, SubmissionOutcomeUnknownError);
  limits.push((await journal.get(KEY))?.timeout_ms);
  for (const taskId of [TASK_ID, null]) {
    await settleOutcome(journal, KEY, taskId);
    limits.push((await journal.get(KEY))?.timeout_ms);
  }
  expect(limits).toEqual([45_000, 45_000, 45_000]);
});

/** How long a POST may be in flight, by the `timeoutMs` of the run that sent it, and of the run that reads its intent. */
const IN_FLIGHT = [
  [300_000, 30_000, 390_000],
  [300_000, 1, 390_000],
  [45_000, 300_000, 135_000],
  [30_001, 30_000, 120_001],
  [30_000, 300_000, 120_000],
  [1, 300_000, 120_000],
  // An older version has written the intent: its run is assumed to have the same `timeoutMs`.
  [undefined, 30_000, 120_000],
  [undefined, 300_000, 390_000],
] as const;

describe.each(["of the run", "of the client"])("if the `timeoutMs` %s that reads", (whose) => {
  test.each(
    IN_FLIGHT.flatMap(([sent, reads, ms]) => [-1, 0, 1].map((late) => [sent, reads, ms, late] as const)),
  )(
    "an intent with `timeout_ms` %s is %s, its POST may be in flight for %s ms (%s ms later)",
    async (sent, timeoutMs, ms, late) => {
      const ofRun = whose === "of the run";
      const clock = createTestClock();
      const { client } = createWorld(serve, { clock, ...(!ofRun && { timeoutMs }) });
      const journal = memoryJournal();
      const until = new Date(clock.now() + ms);
      const at = new Date(clock.now()).toISOString();
      const limit = sent === undefined ? {} : { timeout_ms: sent };
      await journal.put(KEY, journalEntry("intent", { at, ...limit }), null);
      const options = { journal, journalKey: KEY, ...(ofRun && { timeoutMs }) };
      // The run waits two seconds for another process.
      await clock.sleep(ms + late - 2000);
      const error = await rejection(client.tasks.run(SONG_REQUEST, options), SubmissionOutcomeUnknownError);
      expect(error.checkAgainAt).toEqual(late < 0 ? until : null);
    },
  );
});

import {
  InsufficientCreditsError,
  InvalidOptionError,
  type JournalEntry,
  type JournalFields,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  settleOutcome,
} from "async-music";
import { expect, test } from "vitest";
import { recorder } from "../support/collect.js";
import { journaledWorld, KEY, OTHER_REQUEST } from "../support/journaled.js";
import { journalEntry, posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { accepted, done, lost, OTHER_TASK_ID, refusal, succeeded, TASK_ID } from "../support/responses.js";
import { inTurn } from "../support/world.js";

/** A world in which the response to a first run is lost; its next requests get these. */
async function lostRun(...answers: Parameters<typeof inTurn>) {
  const world = journaledWorld(inTurn(lost, ...answers));
  await rejection(world.run(), SubmissionOutcomeUnknownError);
  return world;
}

/** A settled key whose entry another process replaces by this one just before `settleOutcome` writes. */
async function overtakenBy(before: ReturnType<typeof journalEntry>, meanwhile: typeof before) {
  const world = journaledWorld(done);
  const { inner, broken } = world;
  await world.write(before);
  broken.put = async (...given) => {
    await inner.put(KEY, meanwhile, before.revision);
    return inner.put(...given);
  };
  return world;
}

test("settleOutcome with null frees the key of a POST that created nothing, and it can be run again", async () => {
  const world = await lostRun(accepted, done);
  expect(await world.settle(null)).toBe(true);
  expect(await world.inner.open()).toEqual([]);
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(2);
});

test("a freed key takes another request", async () => {
  const { settle, runOther, entry } = await lostRun(accepted, done);
  await settle(null);
  await runOther();
  expect(await entry()).toMatchObject({ task_id: TASK_ID, request: OTHER_REQUEST });
});

test("a freed key that a refused run took can still be settled with the task", async () => {
  const { run, settle, entry } = await lostRun(refusal(402, "insufficient_credits"), done);
  const request_id = (await entry())?.request_id;
  await settle(null);
  await rejection(run(), InsufficientCreditsError);
  expect(await entry()).toMatchObject({ state: "intent", settled: true, request_id });
  expect(await settle(TASK_ID)).toBe(true);
  await expect(run()).resolves.toEqual(succeeded());
});

test("a new run that took a freed key is not settled with the old task", async () => {
  const taken = journalEntry("intent", { revision: "taken", request_id: "request-2" });
  const { settle, entry } = await overtakenBy(journalEntry("intent", { settled: true }), taken);
  expect(await settle(TASK_ID)).toBe(false);
  expect(await entry()).toEqual(taken);
});

test("a settlement is corrected although a run records the end of its task at that moment", async () => {
  const wrong = { settled: true, task_id: OTHER_TASK_ID } as const;
  const ended = journalEntry("submitted", { ...wrong, revision: "ended", status: "success" });
  const { settle, entry } = await overtakenBy(journalEntry("submitted", wrong), ended);
  expect(await settle(TASK_ID)).toBe(true);
  expect(await entry()).toMatchObject({ task_id: TASK_ID });
});

test.each([null, OTHER_TASK_ID, TASK_ID])(
  "the service's task replaces a settlement during its POST: %s",
  async (settled) => {
    const { seen: unrecorded, note: onUnrecorded } = recorder<unknown>();
    const { run, inner, entry } = journaledWorld(
      inTurn(async () => {
        // Another process has a journal object of its own, so it waits for no run of this one.
        await settleOutcome(inner, KEY, settled);
        return accepted();
      }, done),
    );
    await run({ onUnrecorded });
    expect(await entry()).toMatchObject({ task_id: TASK_ID, status: "success" });
    expect(await entry()).not.toHaveProperty("settled");
    expect(unrecorded).toEqual([]);
  },
);

test("settleOutcome with a task ID records it, and the run resumes with that task", async () => {
  const world = await lostRun(done);
  const intent = await world.entry();
  expect(await world.settle(TASK_ID)).toBe(true);
  const record = { ...intent, state: "submitted", task_id: TASK_ID, submission: null, settled: true };
  expect(await world.entry()).toEqual({ ...record, revision: expect.any(String) });
  expect((await world.entry())?.revision).not.toBe(intent?.revision);
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(1);
});

test.each(["intent", "submitted"] as const)(
  "a settlement keeps every field of the request of an entry: %s",
  async (state) => {
    const { write, settle, entry } = journaledWorld(done);
    const kept = {
      request: OTHER_REQUEST,
      request_id: "request-7",
      at: "2026-01-01T00:00:00.000Z",
      tasks_created: 7,
      timeout_ms: 5000,
      tenant: "acme",
      reservation: { id: "total/1", tenant: "acme", credits: 10 },
      // Of a later version.
      priority: "high",
    };
    const settled = state === "submitted" ? { settled: true as const, status: "success" as const } : {};
    await write({ ...journalEntry(state), ...kept, ...settled } satisfies Required<JournalFields> &
      JournalEntry);
    await settle(null);
    expect(await entry()).toEqual({ ...kept, state: "intent", settled: true, revision: expect.any(String) });
    await settle(TASK_ID);
    const task = { task_id: TASK_ID, submission: null };
    expect(await entry()).toEqual({
      ...kept,
      ...task,
      state: "submitted",
      settled: true,
      revision: expect.any(String),
    });
  },
);

test("a wrong settlement is replaced by the right task, and the run continues with that one", async () => {
  const world = await lostRun(done);
  expect(await world.settle(OTHER_TASK_ID)).toBe(true);
  expect(await world.settle(TASK_ID)).toBe(true);
  const settled = await world.entry();
  expect(settled).toMatchObject({ state: "submitted", task_id: TASK_ID, settled: true });
  expect(await world.settle(TASK_ID)).toBe(true);
  expect(await world.entry()).toEqual(settled);
  await expect(world.run()).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(1);
});

test("a wrong settlement is withdrawn with null, also after a run has returned its task", async () => {
  const world = await lostRun(done, accepted, done);
  await world.settle(TASK_ID);
  await world.run();
  expect(await world.entry()).toMatchObject({ settled: true, status: "success" });
  expect(await world.settle(null)).toBe(true);
  await world.run();
  expect(posts(world)).toHaveLength(2);
});

test("a corrected settlement is open again until a run has returned the right task", async () => {
  const { inner, settle, write } = journaledWorld(done);
  await write(journalEntry("submitted", { settled: true, status: "success", task_id: OTHER_TASK_ID }));
  expect(await inner.open()).toEqual([]);
  await settle(TASK_ID);
  expect(await inner.open()).toMatchObject([{ key: KEY, task_id: TASK_ID }]);
});

test("a key that holds nothing is not settled", async () => {
  const { settle, entry } = journaledWorld(done);
  expect(await settle(TASK_ID)).toBe(false);
  expect(await entry()).toBeNull();
});

test.each([
  ["complete", () => accepted()],
  ["broken", () => Response.json({ code: 202, data: { task_id: TASK_ID } }, { status: 202 })],
])("the task ID that the service returned in a %s response is never replaced", async (_, response) => {
  const { run, settle, entry } = journaledWorld(inTurn(response, done));
  await run().catch(() => {});
  const recorded = await entry();
  expect(recorded).toMatchObject({ task_id: TASK_ID });
  for (const taskId of [null, OTHER_TASK_ID]) expect(await settle(taskId)).toBe(false);
  expect(await settle(TASK_ID)).toBe(true);
  expect(await entry()).toEqual(recorded);
});

test.each([TASK_ID, null])(
  "settleOutcome(%s) returns false if the key is freed at the same time",
  async (taskId) => {
    const { settle, write, inner, broken } = journaledWorld(done);
    await write(journalEntry("intent"));
    broken.get = async (key) => {
      const entry = await inner.get(key);
      await inner.delete(key, entry?.revision ?? "");
      return entry;
    };
    expect(await settle(taskId)).toBe(false);
  },
);

test.each([
  [{}, KEY, null, "journal"],
  [memoryJournal(), "", null, "journalKey"],
  [memoryJournal(), KEY, "", "taskId"],
  [memoryJournal(), KEY, undefined, "taskId"],
  [memoryJournal(), KEY, "clip-1", "taskId"],
  [memoryJournal(), KEY, ` ${TASK_ID}`, "taskId"],
  [memoryJournal(), KEY, `${TASK_ID}0`, "taskId"],
])("settleOutcome refuses an invalid argument by name", async (journal, key, taskId, option) => {
  const settling = settleOutcome(journal as never, key, taskId as never);
  expect((await rejection(settling, InvalidOptionError)).option).toBe(option);
});

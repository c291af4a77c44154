import {
  ApiError,
  AsyncMusicError,
  ConnectionError,
  type Journal,
  JournalError,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  type TaskSubmission,
} from "async-music";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/http/redactor.js";
import { type Order, submitOnce } from "../../../src/journal/submit-once.js";
import { SONG_REQUEST, TASK_ID } from "../../support/answers.js";
import { reasonOf, rejection } from "../../support/rejection.js";
import { createTestClock } from "../../support/test-clock.js";

const KEY = "order-1";
const SUBMISSION: TaskSubmission = {
  task_id: TASK_ID,
  type: "music",
  status: "pending",
  credits_charged: 10,
  created_at: "2026-01-01T00:00:00.000Z",
  audio_format: null,
};

type Send = (beforeSending: () => Promise<void>, abort: (reason: string) => void) => Promise<TaskSubmission>;

/** One run of an order whose sending is the test's own. */
function createOrder(send: Send, { hasSignal = true } = {}) {
  const controller = new AbortController();
  const journal = memoryJournal();
  const calls: string[] = [];
  const counted: Journal = {
    get(key) {
      calls.push("get");
      return journal.get(key);
    },
    put(...entry) {
      calls.push("put");
      return journal.put(...entry);
    },
    delete: journal.delete,
  };
  const order: Order = {
    clock: createTestClock(),
    signal: hasSignal ? controller.signal : undefined,
    request: SONG_REQUEST,
    requestId: "request-1",
    probe: null,
    send: (beforeSending) => send(beforeSending, (reason) => controller.abort(reason)),
  };
  const place = { journal: counted, key: KEY, probe: false };
  return { journal, calls, submitting: () => submitOnce(place, createRedactor(""), order) };
}

/** A POST that leaves, and then fails. */
function failing(error: unknown, abortReason?: string): Send {
  return async (beforeSending, abort) => {
    await beforeSending();
    if (abortReason !== undefined) abort(abortReason);
    throw error;
  };
}

function apiError(status: number): ApiError {
  return new ApiError("refused", { status, errorCode: null, requestId: "request-1", headers: new Headers() });
}

test("a submission takes one read and two writes of the journal, and leaves nothing to record again", async () => {
  const { calls, submitting } = createOrder(async (beforeSending) => {
    await beforeSending();
    return SUBMISSION;
  });
  expect(await submitting()).toMatchObject({ task: SUBMISSION, recordAgain: null });
  expect(calls).toEqual(["get", "put", "put"]);
});

test.each<[string, unknown, string?]>([
  ["a refusal (400)", apiError(400)],
  ["a refusal (499)", apiError(499)],
  ["a POST that never left", new ConnectionError("no", { requestId: "request-1" })],
  ["a journal that failed", new JournalError("away", { journalKey: KEY })],
  ["an abort", "left", "left"],
])("%s created nothing: the key is free", async (_, error, abortReason) => {
  const { journal, submitting } = createOrder(failing(error, abortReason));
  expect(await reasonOf(submitting())).toBe(error);
  expect(await journal.get(KEY)).toBeNull();
});

test.each<[string, unknown, string?]>([
  ["an answer below the refusals (399)", apiError(399)],
  ["an answer above the refusals (500)", apiError(500)],
  ["an error of no known kind", new AsyncMusicError("odd")],
  ["a stranger's error", new Error("odd")],
  ["a text", "odd"],
  ["nothing at all", undefined],
  ["something else after an abort", "odd", "left"],
])("%s says nothing of the task: the intent stays", async (_, error, abortReason) => {
  const { journal, submitting } = createOrder(failing(error, abortReason));
  const unknown = await rejection(submitting(), SubmissionOutcomeUnknownError);
  expect(unknown).toMatchObject({ request: SONG_REQUEST, requestId: "request-1", evidence: null });
  expect(unknown.message).not.toContain("undefined");
  expect(await journal.get(KEY)).toMatchObject({ state: "intent" });
});

test("without a signal, nothing is taken for the reason of its abort", async () => {
  const { submitting } = createOrder(failing(undefined), { hasSignal: false });
  await rejection(submitting(), SubmissionOutcomeUnknownError);
});

test("what is thrown before the intent is written is thrown on", async () => {
  const error = new Error("odd");
  const { journal, submitting } = createOrder(() => Promise.reject(error));
  expect(await reasonOf(submitting())).toBe(error);
  expect(await journal.get(KEY)).toBeNull();
});

test("a key that was freed while the POST waited is taken anew, by an intent of another name", async () => {
  const revisions: (string | undefined)[] = [];
  const { journal, submitting } = createOrder(async (beforeSending) => {
    await beforeSending();
    const intent = await journal.get(KEY);
    revisions.push(intent?.revision);
    if (revisions.length === 1) {
      await journal.delete(KEY, intent?.revision ?? "");
      await beforeSending();
    }
    return SUBMISSION;
  });
  expect(await submitting()).toMatchObject({ task: SUBMISSION });
  expect(new Set(revisions).size).toBe(2);
});

import { inspect } from "node:util";
import {
  type ApiError,
  AsyncMusic,
  AsyncMusicError,
  AuthenticationError,
  ConnectionError,
  InvalidOptionError,
  InvalidRequestError,
  InvalidResponseError,
  JournalConflictError,
  JournalError,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  TaskFailedError,
  WaitTimeoutError,
} from "async-music";
import { createEmulator, type Outcome } from "async-music/emulator";
import { expect, test } from "vitest";
import { messageOf } from "../../src/contract/message.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { lost, refusal, SONG_REQUEST, TASK_ID } from "../support/responses.js";
import { type Answerer, createWorld } from "../support/world.js";

const JOURNAL = { journal: memoryJournal(), journalKey: "order-1" };
const badJournal = { ...memoryJournal(), get: () => Promise.reject(new Error("no disk. No entry")) };

const clientOf = (answer: Answerer) => createWorld(answer, { maxRetries: 0 }).client;
const offline = clientOf(lost);

/** A client of an emulator whose tasks all end, or hang, like this. */
function clientWhoseTasks(outcome: Outcome) {
  const emulator = createEmulator();
  emulator.providers.provider_a.always(outcome);
  return new AsyncMusic(emulator.connection());
}
const failing = clientWhoseTasks({ outcome: "failure", error_code: "content_moderation" });
const hanging = clientWhoseTasks({ outcome: "hang" });
const refusing = clientOf(() => refusal(401, "invalid_api_key"));
const empty = clientOf(() => Response.json({ data: {} }));
const other = { ...SONG_REQUEST, audio_format: "mp3" } as const;

type ErrorClass = abstract new (...details: never[]) => AsyncMusicError;

test.each<[name: string, work: () => Promise<unknown>, errorClass: ErrorClass]>([
  ["an error response", () => refusing.account.balance(), AuthenticationError],
  ["a lost connection", () => offline.account.usage(), ConnectionError],
  ["a response without its fields", () => empty.account.usage(), InvalidResponseError],
  ["an unknown outcome", () => offline.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError],
  ["an outcome in a journal", () => offline.tasks.run(SONG_REQUEST, JOURNAL), SubmissionOutcomeUnknownError],
  ["another request in a journal", () => offline.tasks.run(other, JOURNAL), JournalConflictError],
  [
    "a journal that throws",
    () => offline.tasks.run(SONG_REQUEST, { ...JOURNAL, journal: badJournal }),
    JournalError,
  ],
  ["a failed task", () => failing.tasks.run(SONG_REQUEST), TaskFailedError],
  ["a long wait", () => hanging.tasks.run(SONG_REQUEST, { maxWaitMs: 60_000 }), WaitTimeoutError],
  ["an option", async () => failing.tasks.wait(TASK_ID, { maxWaitMs: -1 }), InvalidOptionError],
  ["a request", () => failing.tasks.create({ ...SONG_REQUEST, input: {} } as never), InvalidRequestError],
])("the message of %s is made from its parts, which nothing else shows", async (_, work, errorClass) => {
  const error = await rejection(work(), errorClass);
  const { parts } = error;
  expect(messageOf(parts)).toBe(error.message);
  expect(parts.requestId).toBe(Object(error).requestId);
  expect(Object.keys({ ...error, ...error.toJSON() })).not.toContain("parts");
  expect(inspect(error)).not.toContain("codeAdvice");
});

test("an error that was made from a string has it as its message", () => {
  const error = new WaitTimeoutError("No\nresult", { taskId: TASK_ID, task: null });
  expect([error.message, error.parts]).toEqual(["No result", { what: "No result" }]);
});

test("the parts of an error have no control characters and no passwords", async () => {
  const said = "see https://me:secret@music.example\u202e and\u0007 wait";
  const client = clientOf(() => refusal(400, "invalid_model", {}, { message: said }));
  const { parts } = (await reasonOf(client.account.balance())) as ApiError;
  expect(parts.why).toBe("invalid_model (HTTP 400): see https://music.example and wait");
});

test("an application can make an error from parts", () => {
  const error = new AsyncMusicError({ what: "Failed to sing", why: "the voice is lost", advice: ["Rest."] });
  expect(error.message).toBe("Failed to sing: the voice is lost. Rest.");
  const { parts } = new InvalidOptionError("pitch", { what: [{ name: "pitch" }, " is high"] });
  expect(messageOf(parts, () => "--pitch")).toBe("--pitch is high.");
});

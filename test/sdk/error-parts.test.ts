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
import { createEmulator } from "async-music/emulator";
import { expect, test } from "vitest";
import { messageOf } from "../../src/contract/message.js";
import { refusal, SONG_REQUEST, TASK_ID } from "../support/answers.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { createWorld } from "../support/world.js";

const JOURNAL = { journal: memoryJournal(), journalKey: "order-1" };

function worldThat(answer: () => Response) {
  return createWorld(answer, { maxRetries: 0 }).client;
}

function broken(): never {
  throw new TypeError("fetch failed");
}

const failed = createEmulator();
failed.providers.provider_a.always({ outcome: "failure", error_code: "content_moderation" });
const failingClient = new AsyncMusic(failed.connection());
const hanging = createEmulator();
hanging.providers.provider_a.always({ outcome: "hang" });
const hangingClient = new AsyncMusic(hanging.connection());

test.each<
  [
    name: string,
    work: () => Promise<unknown>,
    errorClass: abstract new (...details: never[]) => AsyncMusicError,
  ]
>([
  [
    "an error response",
    () => worldThat(() => refusal(401, "invalid_api_key")).account.balance(),
    AuthenticationError,
  ],
  ["a lost connection", () => worldThat(broken).account.usage(), ConnectionError],
  [
    "a response without its fields",
    () => worldThat(() => Response.json({ data: {} })).account.usage(),
    InvalidResponseError,
  ],
  ["an unknown outcome", () => worldThat(broken).tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError],
  [
    "an unknown outcome in a journal",
    () => worldThat(broken).tasks.run(SONG_REQUEST, JOURNAL),
    SubmissionOutcomeUnknownError,
  ],
  [
    "another request in a journal",
    () => worldThat(broken).tasks.run({ ...SONG_REQUEST, audio_format: "mp3" }, JOURNAL),
    JournalConflictError,
  ],
  [
    "a journal that throws",
    () => {
      const journal = { ...memoryJournal(), get: () => Promise.reject(new Error("no disk. No entry")) };
      return worldThat(broken).tasks.run(SONG_REQUEST, { ...JOURNAL, journal });
    },
    JournalError,
  ],
  ["a failed task", () => failingClient.tasks.run(SONG_REQUEST), TaskFailedError],
  [
    "a wait that took too long",
    () => hangingClient.tasks.run(SONG_REQUEST, { maxWaitMs: 60_000 }),
    WaitTimeoutError,
  ],
  ["an option", async () => failingClient.tasks.wait(TASK_ID, { maxWaitMs: -1 }), InvalidOptionError],
  [
    "a request",
    () => failingClient.tasks.create({ ...SONG_REQUEST, input: {} } as never),
    InvalidRequestError,
  ],
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
  const client = worldThat(() => refusal(400, "invalid_model", {}, { message: said }));
  const { parts } = (await reasonOf(client.account.balance())) as ApiError;
  expect(parts.why).toBe("invalid_model (HTTP 400): see https://music.example and wait");
});

test("an application can make an error from parts", () => {
  const error = new AsyncMusicError({ what: "Failed to sing", why: "the voice is lost", advice: ["Rest."] });
  expect(error.message).toBe("Failed to sing: the voice is lost. Rest.");
  expect(
    messageOf(
      new InvalidOptionError("pitch", { what: [{ name: "pitch" }, " is high"] }).parts,
      () => "--pitch",
    ),
  ).toBe("--pitch is high.");
});

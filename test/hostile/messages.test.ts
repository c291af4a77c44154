import {
  ApiError,
  AsyncMusicError,
  BadRequestError,
  InvalidResponseError,
  TaskFailedError,
} from "async-music";
import { describe, expect, test } from "vitest";
import { printable, printableLine } from "../../src/contract/text.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { accepted, failed, ok, refusal, SONG_REQUEST, TASK_ID, task } from "../support/responses.js";
import { API_KEY, createWorld, inTurn } from "../support/world.js";

/** Writes the clipboard of some terminals, reverses the text that follows, then breaks the line. */
const HOSTILE = "\u001b]52;c;aGk=\u0007\u202Egnp\u2066\u200B\u009B31m\r\nforged line\u2028another";

/** A character that controls a terminal, or that misleads a reader. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test("printable text keeps line feeds, tabs and letters of every script, and no control characters", () => {
  expect(printable("a\tb\nc\u001b[31m é 雨 \u{1F3B5}\u202E\uFEFF\u{E0041}\u0085")).toBe(
    "a\tb\nc[31m é 雨 \u{1F3B5}",
  );
  expect(printableLine("a\r\nb\tc\u2029d")).toBe("a b c d");
});

test("an error message with the service's message is one line without control and format characters", async () => {
  const { client } = createWorld(() =>
    refusal(418, `code${HOSTILE}`, { "X-Request-Id": "id\u009B31m\u00AD" }, { message: HOSTILE }),
  );
  const error = await rejection(client.account.balance(), ApiError);
  expect(error.message).not.toMatch(UNPRINTABLE);
  expect(error.stack?.split("\n")[0]).toContain(error.message);
  expect(error.message).toContain("forged line");
});

test("the error of an invalid response has no control and no format characters", async () => {
  const { client } = createWorld(() => ok({ [HOSTILE]: HOSTILE, task_id: TASK_ID, status: HOSTILE }));
  const error = await reasonOf(client.tasks.wait(TASK_ID, { maxWaitMs: 20_000 }));
  expect(error).toBeInstanceOf(AsyncMusicError);
  for (let each = error; each instanceof Error; each = each.cause)
    expect(each.message).not.toMatch(UNPRINTABLE);
});

test("a hostile task ID is cleaned in the message, and unchanged in the property", async () => {
  const taskId = `id${HOSTILE}`;
  const { client } = createWorld(() => accepted({ task_id: taskId, status: 7 }));
  const error = await rejection(client.tasks.create(SONG_REQUEST), InvalidResponseError);
  expect(error.taskId).toBe(taskId);
  expect(error.message).not.toMatch(UNPRINTABLE);
});

test("log lines and their fields have no control and no format characters", async () => {
  const lines: string[] = [];
  const write = (message: string, fields?: object) => {
    const { task_id, status, progress } = Object(fields);
    lines.push(message, String(task_id), String(status), String(progress));
  };
  const { client } = createWorld(
    inTurn(
      () => refusal(503, HOSTILE, {}, { message: HOSTILE }),
      () => ok(task({ status: HOSTILE, output: { task_type: "music", status: "x", progress: HOSTILE } })),
      () => ok(failed({ error_code: HOSTILE })),
    ),
    { logger: { debug: write, info: write, warn: write, error: write }, logLevel: "debug" },
  );
  await rejection(client.tasks.wait(TASK_ID), TaskFailedError);
  expect(lines.filter((line) => line.includes("forged line")).length).toBeGreaterThan(3);
  expect(lines.filter((line) => UNPRINTABLE.test(line))).toEqual([]);
});

/** The error of a task that failed with these fields. */
async function failure(fields: object, apiKey = API_KEY): Promise<TaskFailedError> {
  const { client } = createWorld(() => ok(failed({ ...fields })), { apiKey });
  const error = await reasonOf(client.tasks.wait(TASK_ID));
  if (error instanceof TaskFailedError) return error;
  throw error;
}

/** The error of a refused request with this message. */
async function refused(message: string): Promise<BadRequestError> {
  const { client } = createWorld(() => refusal(400, "invalid_task_input", {}, { message }));
  return rejection(client.account.balance(), BadRequestError);
}

const URLS = "https://me:s3cret@music.example/a and HTTP://me:p@s3cret@s3cret@s3cret@b.example?x=@ or ://@";

describe.each([
  ["the service's message", refused],
  ["a task's `error`", (error: string) => failure({ error })],
])("the error with %s", (_, errorWith) => {
  test.each([
    ["control and format characters", HOSTILE, "]52;c;aGk=gnp31m forged line another", UNPRINTABLE],
    ["the passwords of URLs", URLS, "https://music.example/a and HTTP://b.example?x=@ or ://", /s3cret/],
    [
      "a password that is cut",
      `${"x".repeat(270)} https://me:${"s3cret".repeat(10)}@a.example`,
      "x",
      /s3cret/,
    ],
    ["a short password that is cut", `${"x".repeat(276)} https://user:hunter2hunter2@host/`, "x", /hunter2/],
  ])("does not show %s", async (_, text, shown, hidden) => {
    const { message } = await errorWith(text);
    expect(message).toContain(shown);
    expect(message).not.toMatch(hidden);
  });
});

test("control and format characters of a task's `error` stay in the task", async () => {
  for (const status of ["failure", "timeout"]) {
    const error = await failure({ status, error: HOSTILE, error_code: HOSTILE });
    expect(error.message).not.toMatch(UNPRINTABLE);
    expect(error.task.error).toBe(HOSTILE);
  }
});

test("a task's `error` or `error_code` of a megabyte is cut in the message", async () => {
  const long = "x".repeat(2 ** 20);
  for (const fields of [{ error: long }, { error_code: long }, { error: "\u200b".repeat(2 ** 20) }]) {
    const { message } = await failure(fields);
    expect(message.length).toBeLessThan(1000);
    expect(message).toContain("Its credits were refunded.");
  }
});

test.each([API_KEY, "emu_k"])("the key %s with invisible characters is not in a message", async (apiKey) => {
  for (const invisible of ["\u200b", "\u00ad", "\u2060", "\ufeff", "\u202e", "\u0000", "\u009b"]) {
    const hidden = Array.from(apiKey).join(invisible);
    const error = await failure({ error: `bad ${hidden} end`, error_code: hidden }, apiKey);
    expect(error.message).toContain("bad [redacted] end ([redacted])");
    expect(JSON.stringify(error)).not.toContain(apiKey);
  }
});

test("a short key is not redacted in words on two lines", async () => {
  const { task, message } = await failure({ error: "first emu_\nk last" }, "emu_k");
  expect(task.error).toBe("first emu_\nk last");
  expect(message).toContain("first emu_ k last");
});

import {
  ApiError,
  AsyncMusicError,
  BadRequestError,
  InvalidResponseError,
  TaskFailedError,
} from "async-music";
import { expect, test } from "vitest";
import { printable, printableLine } from "../../src/contract/text.js";
import { accepted, failed, ok, refusal, SONG_REQUEST, TASK_ID, task } from "../support/answers.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { createWorld, inTurn } from "../support/world.js";

/** Writes the clipboard of some terminals, then reverses what follows, then breaks the line. */
const HOSTILE = "\u001b]52;c;aGk=\u0007\u202Egnp\u2066\u200B\u009B31m\r\nforged line\u2028another";

/** A character that a terminal obeys, or that a reader is misled by. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test("printable text keeps line feeds, tabs and letters of every script, and nothing that a terminal obeys", () => {
  expect(printable("a\tb\nc\u001b[31m é 雨 \u{1F3B5}\u202E\uFEFF\u{E0041}\u0085")).toBe(
    "a\tb\nc[31m é 雨 \u{1F3B5}",
  );
  expect(printableLine("a\r\nb\tc\u2029d")).toBe("a b c d");
});

test("an error message of the service's words is one line without control and format characters", async () => {
  const { client } = createWorld(() =>
    refusal(418, `code${HOSTILE}`, { "X-Request-Id": "id\u009B31m\u00AD" }, { message: HOSTILE }),
  );
  const error = await rejection(client.account.balance(), ApiError);
  expect(error.message).not.toMatch(UNPRINTABLE);
  expect(error.stack?.split("\n")[0]).toContain(error.message);
  expect(error.message).toContain("forged line");
});

test.each([
  ["a failed task", () => ok(failed({ error: HOSTILE, error_code: HOSTILE }))],
  ["a broken answer", () => ok({ [HOSTILE]: HOSTILE, task_id: TASK_ID, status: HOSTILE })],
])("the message of %s holds no control and no format characters", async (_, answer) => {
  const { client } = createWorld(answer);
  const error = await reasonOf(client.tasks.wait(TASK_ID, { maxWaitMs: 20_000 }));
  expect(error).toBeInstanceOf(AsyncMusicError);
  for (let each = error; each instanceof Error; each = each.cause)
    expect(each.message).not.toMatch(UNPRINTABLE);
});

test("a task id that no terminal should see is clean in the message, and whole in the property", async () => {
  const taskId = `id${HOSTILE}`;
  const { client } = createWorld(() => accepted({ task_id: taskId, status: 7 }));
  const error = await rejection(client.tasks.create(SONG_REQUEST), InvalidResponseError);
  expect(error.taskId).toBe(taskId);
  expect(error.message).not.toMatch(UNPRINTABLE);
});

test("log lines and their fields hold no control and no format characters of the service", async () => {
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

test("a password in an address does not show in a message", async () => {
  const message =
    "can't fetch https://me:s3cret@music.example/a and HTTP://me:p@s3cret@s3cret@s3cret@b.example?x=@ or ://@";
  const { client } = createWorld(() => refusal(400, "invalid_task_input", {}, { message }));
  const error = await rejection(client.account.balance(), BadRequestError);
  expect(error.message).toContain("can't fetch https://music.example/a and HTTP://b.example?x=@ or ://");
  expect(error.message).not.toContain("s3cret");
});

test("a password that is cut where a message ends does not show", async () => {
  const message = `${"x".repeat(270)} https://me:${"s3cret".repeat(10)}@music.example`;
  const { client } = createWorld(() => refusal(400, "invalid_task_input", {}, { message }));
  expect((await rejection(client.account.balance(), BadRequestError)).message).not.toContain("s3cret");
});

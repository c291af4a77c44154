import { TaskFailedError } from "async-music";
import { expect, test } from "vitest";
import { failed, ok, TASK_ID } from "../support/answers.js";
import { reasonOf } from "../support/rejection.js";
import { API_KEY, createWorld } from "../support/world.js";

// The reason of a failed task is the service's text, and is quoted in the message of the error.

async function failure(fields: object, apiKey = API_KEY): Promise<TaskFailedError> {
  const { client } = createWorld(() => ok(failed({ ...fields })), { apiKey });
  const error = await reasonOf(client.tasks.wait(TASK_ID));
  if (error instanceof TaskFailedError) return error;
  throw error;
}

test("control and format characters of a reason are not in the message, and stay in the task", async () => {
  const hostile = "\u001b]52;c;aGk=\u0007bad\u202e\u2066\u200b words\u009b31m\r\nforged line";
  for (const status of ["failure", "timeout"]) {
    const error = await failure({ status, error: hostile, error_code: hostile });
    expect(error.message).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(error.message).toContain("]52;c;aGk=bad words31m forged line");
    expect(error.task.error).toBe(hostile);
  }
});

test("a reason or a code of a megabyte does not fill the message", async () => {
  const long = "x".repeat(2 ** 20);
  for (const fields of [{ error: long }, { error_code: long }, { error: "\u200b".repeat(2 ** 20) }]) {
    const { message } = await failure(fields);
    expect(message.length).toBeLessThan(1000);
    expect(message).toContain("Its credits were refunded.");
  }
});

test("a password in an address is not in the message, also where the reason is cut", async () => {
  const { message } = await failure({ error: `${"x".repeat(276)} https://user:hunter2hunter2@host/` });
  expect(message).not.toContain("hunter2");
});

test.each([API_KEY, "emu_k"])(
  "the key %s with an invisible character between its letters is not in a message",
  async (apiKey) => {
    for (const invisible of ["\u200b", "\u00ad", "\u2060", "\ufeff", "\u202e", "\u0000", "\u009b"]) {
      const hidden = Array.from(apiKey).join(invisible);
      const error = await failure({ error: `bad ${hidden} end`, error_code: hidden }, apiKey);
      expect(error.message).toContain("bad [redacted] end ([redacted])");
      expect(JSON.stringify(error)).not.toContain(apiKey);
    }
  },
);

test("a key of a few letters is not found in words on two lines", async () => {
  const { task, message } = await failure({ error: "first emu_\nk last" }, "emu_k");
  expect(task.error).toBe("first emu_\nk last");
  expect(message).toContain("first emu_ k last");
});

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { TaskFailedError } from "async-music";
import { createAccount } from "./account.mjs";

// Run all files at once, each in a process, against one emulator:
// npx async-music emulator -- node --test "shared/*.test.mjs"

const SONG = { model: "provider_a", task_type: "music", input: { tags: "polka" } };

let account;
beforeEach(async () => {
  account = await createAccount();
});
afterEach(() => account.check());

test("a song costs 10 credits", async () => {
  // On a port, time is real: the song is finished at the first poll, and the polls begin after a second.
  await account.setNext("provider_a", { polls: 1 });
  await account.client.tasks.run(SONG, { pollIntervalMs: 1000 });
  assert.equal((await account.client.account.balance()).available, 90);
});

test("a failed song is refunded", async () => {
  await account.setNext("provider_a", { outcome: "failure", error_code: "content_moderation", polls: 1 });
  await assert.rejects(account.client.tasks.run(SONG, { pollIntervalMs: 1000 }), TaskFailedError);
  assert.equal((await account.client.account.balance()).available, 100);
});

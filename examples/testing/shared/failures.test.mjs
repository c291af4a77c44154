import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { InsufficientCreditsError, SubmissionOutcomeUnknownError } from "async-music";
import { createAccount } from "./account.mjs";

const SONG = { model: "provider_a", task_type: "music", input: { tags: "polka" } };

let account;
beforeEach(async () => {
  account = await createAccount();
});
afterEach(() => account.check());

test("an unknown outcome freezes the credits", async () => {
  await account.addFault({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  await assert.rejects(account.client.tasks.create(SONG), SubmissionOutcomeUnknownError);
  assert.equal((await account.client.account.balance()).frozen, 10);
});

test("without credits, no song is created", async () => {
  const { client } = await createAccount(5);
  await assert.rejects(client.tasks.create(SONG), InsufficientCreditsError);
});

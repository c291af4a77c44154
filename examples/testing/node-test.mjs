import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { AsyncMusic, SubmissionOutcomeUnknownError, TaskFailedError } from "async-music";
import { checkCompliance, createEmulator } from "async-music/emulator";
import { orderSong } from "./order-song.mjs";

// Run it with `node --test node-test.mjs`.

let emulator;
let client;

beforeEach(() => {
  emulator = createEmulator({ credits: 100 });
  client = new AsyncMusic(emulator.connection());
});

afterEach(() => checkCompliance(emulator));

test("a song has a URL", async () => {
  assert.match(await orderSong(client, "polka"), /^https:/);
});

test("a failed song is refunded", async () => {
  emulator.providers.provider_a.next({ outcome: "failure", error_code: "content_moderation" });
  await assert.rejects(orderSong(client, "polka"), TaskFailedError);
  assert.equal((await client.account.balance()).available, 100);
});

test("an order with an unknown outcome must not be repeated", async () => {
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  await assert.rejects(orderSong(client, "polka"), SubmissionOutcomeUnknownError);
  await orderSong(client, "polka"); // wrong
  // The check after the test covers only what happens after this one.
  checkCompliance(emulator, { breaks: ["resubmitted_after_unknown_outcome"] });
});

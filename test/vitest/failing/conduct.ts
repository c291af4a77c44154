import { test } from "async-music/emulator/vitest";
import { readTwice } from "../read-twice.js";

const SONG = { model: "provider_a", task_type: "music", input: { tags: "polka" } } as const;

test("polls too often", async ({ client, emulator }) => {
  const { task_id } = await client.tasks.create(SONG);
  await emulator.clock.sleep(5_000);
  await readTwice(emulator, task_id);
});

test("sends again what may have been paid for", async ({ client, emulator }) => {
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  await client.tasks.run(SONG).catch(() => client.tasks.run(SONG));
});

test("sends one of several again", async ({ client, emulator }) => {
  const lyrics = (prompt: string) =>
    ({ model: "provider_a", task_type: "lyrics", input: { prompt } }) as const;
  await client.tasks.create(lyrics("rain"));
  await client.tasks.create(SONG);
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  await client.tasks.create(lyrics("snow")).catch(() => client.tasks.create(lyrics("snow")));
});

test("polls too often, and begins anew", async ({ client, emulator }) => {
  const { task_id } = await client.tasks.create(SONG);
  await readTwice(emulator, task_id);
  emulator.reset();
});

test("breaks another rule than it says", async ({ client, emulator, breaks }) => {
  breaks("ignored_retry_after", "polled_too_often");
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  const { task_id } = await client.tasks.run(SONG).catch(() => client.tasks.run(SONG));
  await readTwice(emulator, task_id);
});

test("breaks none of the rules that it says", async ({ client, breaks }) => {
  breaks("ignored_retry_after", "polled_too_often");
  await client.tasks.run(SONG);
});

test("fails before it breaks the rule that it says", async ({ client, breaks }) => {
  breaks("polled_too_often");
  await client.account.balance();
  throw new Error("its own failure");
});

test("fails, and breaks a rule besides", async ({ client, emulator }) => {
  const { task_id } = await client.tasks.create(SONG);
  await readTwice(emulator, task_id);
  throw new Error("its own failure");
});

test.concurrent("does nothing wrong beside a test that does", async ({ client }) => {
  await client.tasks.run(SONG);
});

test.concurrent("does wrong beside a test that doesn't", async ({ client, emulator }) => {
  const { task_id } = await client.tasks.create(SONG);
  await readTwice(emulator, task_id);
});

import type { AsyncMusic } from "async-music";
import type { Emulator } from "async-music/emulator";
import { test } from "async-music/emulator/vitest";
import { coreOf } from "../../../emulator/http/service.js";
import { readTwice } from "../read-twice.js";

const SONG = { model: "provider_a", task_type: "music", input: { tags: "polka" } } as const;

/** Creates a song, and reads it twice at the same time. */
async function pollTwice(client: AsyncMusic, emulator: Emulator): Promise<void> {
  const { task_id } = await client.tasks.create(SONG);
  await emulator.clock.sleep(5_000);
  await readTwice(emulator, task_id);
}

test("polls too often", async ({ client, emulator }) => {
  await pollTwice(client, emulator);
});

test("polls too often, and resets", async ({ client, emulator }) => {
  await pollTwice(client, emulator);
  emulator.reset();
});

test("breaks a rule that it does not declare", async ({ client, emulator, breaks }) => {
  breaks("ignored_retry_after", "polled_too_often");
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  const { task_id } = await client.tasks.run(SONG).catch(() => client.tasks.run(SONG));
  await readTwice(emulator, task_id);
});

test("breaks none of the rules that it declares", async ({ client, breaks }) => {
  breaks("ignored_retry_after", "polled_too_often");
  await client.tasks.run(SONG);
});

test("fails before it breaks a rule", async ({ client, breaks }) => {
  breaks("polled_too_often");
  await client.account.balance();
  throw new Error("its own failure");
});

test("fails, and breaks a rule", async ({ client, emulator }) => {
  await pollTwice(client, emulator);
  throw new Error("its own failure");
});

test.concurrent("runs beside a test that breaks a rule", async ({ client }) => {
  await client.tasks.run(SONG);
});

test.concurrent("breaks a rule beside another test", async ({ client, emulator }) => {
  await pollTwice(client, emulator);
});

test("loses credits", async ({ client, emulator }) => {
  await client.account.balance();
  for (const { ledger } of coreOf(emulator).state.accounts) ledger.available -= 1;
});

test("adds a fault with a wrong path", async ({ client, emulator }) => {
  const fault = { kind: "disconnect", when: "after" } as const;
  emulator.faults.add({ method: "POST", path: "/api/v1/tasks", fault });
  await client.tasks.run(SONG);
});

test("adds an outcome to the other provider", async ({ client, emulator }) => {
  emulator.providers.provider_b.next({ outcome: "failure" });
  await client.tasks.run(SONG);
});

test("fails before its fault is used", async ({ client, emulator }) => {
  emulator.faults.add({ method: "POST", fault: { kind: "stall" } });
  await client.account.balance();
  throw new Error("its own failure");
});

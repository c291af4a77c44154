import { test } from "async-music/emulator/vitest";
import { coreOf } from "../../../emulator/http/service.js";
import { readTwice } from "../read-twice.js";

const SONG = { model: "provider_a", task_type: "music", input: { tags: "polka" } } as const;

test("polls too often", async ({ client, emulator }) => {
  const { task_id } = await client.tasks.create(SONG);
  await emulator.clock.sleep(5_000);
  await readTwice(emulator, task_id);
});

test("repeats a create with an unknown outcome", async ({ client, emulator }) => {
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  await client.tasks.run(SONG).catch(() => client.tasks.run(SONG));
});

test("repeats one of several creates", async ({ client, emulator }) => {
  const lyrics = (prompt: string) =>
    ({ model: "provider_a", task_type: "lyrics", input: { prompt } }) as const;
  await client.tasks.create(lyrics("rain"));
  await client.tasks.create(SONG);
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  await client.tasks.create(lyrics("snow")).catch(() => client.tasks.create(lyrics("snow")));
});

test("polls too often, and resets", async ({ client, emulator }) => {
  const { task_id } = await client.tasks.create(SONG);
  await readTwice(emulator, task_id);
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
  const { task_id } = await client.tasks.create(SONG);
  await readTwice(emulator, task_id);
  throw new Error("its own failure");
});

test.concurrent("runs beside a test that breaks a rule", async ({ client }) => {
  await client.tasks.run(SONG);
});

test.concurrent("breaks a rule beside another test", async ({ client, emulator }) => {
  const { task_id } = await client.tasks.create(SONG);
  await readTwice(emulator, task_id);
});

test("loses credits", async ({ client, emulator }) => {
  await client.account.balance();
  for (const { ledger } of coreOf(emulator).state.accounts) ledger.available -= 1;
});

test("adds a fault with a wrong path", async ({ client, emulator }) => {
  emulator.faults.add({
    method: "POST",
    path: "/api/v1/tasks",
    fault: { kind: "disconnect", when: "after" },
  });
  await client.tasks.run(SONG);
});

test("adds an outcome to the other provider", async ({ client, emulator }) => {
  emulator.providers.provider_b.next({ outcome: "failure" });
  await client.tasks.run(SONG);
});

test("adds two outcomes and creates one task", async ({ client, emulator }) => {
  emulator.providers.provider_a.next({ queue_seconds: 1 });
  emulator.providers.provider_a.next({ queue_seconds: 2 });
  await client.tasks.run(SONG);
});

test("adds a fault and sends nothing", ({ emulator }) => {
  emulator.faults.add({ times: 3, fault: { kind: "stall" } });
});

test("fails before its fault is used", async ({ client, emulator }) => {
  emulator.faults.add({ method: "POST", fault: { kind: "stall" } });
  await client.account.balance();
  throw new Error("its own failure");
});

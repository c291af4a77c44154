import type { ComplianceRule } from "async-music/emulator";
import { test } from "async-music/emulator/vitest";
import { coreOf } from "../../../emulator/http/service.js";
import { pollTwice, readTwice, SONG } from "../poll-twice.js";

test("polls too often", async ({ emulator }) => {
  await emulator.clock.advance(5_000);
  await pollTwice(emulator);
});

test("polls too often, and resets", async ({ emulator }) => {
  await pollTwice(emulator);
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

test("only declares a rule", ({ breaks }) => {
  breaks("polled_too_often");
});

test("declares a rule that does not exist", async ({ client, breaks }) => {
  breaks("poll" as ComplianceRule);
  await client.account.balance();
});

test("fails before it breaks a rule", async ({ client, breaks }) => {
  breaks("polled_too_often");
  await client.account.balance();
  throw new Error("its own failure");
});

test("fails, and breaks a rule", async ({ emulator }) => {
  await pollTwice(emulator);
  throw new Error("its own failure");
});

test.concurrent("runs beside a test that breaks a rule", async ({ client }) => {
  await client.tasks.run(SONG);
});

test.concurrent("breaks a rule beside another test", async ({ emulator }) => {
  await pollTwice(emulator);
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

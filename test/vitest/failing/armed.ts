import { test } from "async-music/emulator/vitest";

const SONG = { model: "provider_a", task_type: "music", input: { tags: "polka" } } as const;

test("mistypes the path of a fault", async ({ client, emulator }) => {
  emulator.faults.add({
    method: "POST",
    path: "/api/v1/tasks",
    fault: { kind: "disconnect", when: "after" },
  });
  await client.tasks.run(SONG);
});

test("tells the other provider what to do next", async ({ client, emulator }) => {
  emulator.providers.provider_b.next({ outcome: "failure" });
  await client.tasks.run(SONG);
});

test("is armed for two tasks and makes one", async ({ client, emulator }) => {
  emulator.providers.provider_a.next({ queue_seconds: 1 });
  emulator.providers.provider_a.next({ queue_seconds: 2 });
  await client.tasks.run(SONG);
});

test("arms a fault and asks for nothing", ({ emulator }) => {
  emulator.faults.add({ times: 3, fault: { kind: "stall" } });
});

test("fails before its fault can come", async ({ client, emulator }) => {
  emulator.faults.add({ method: "POST", fault: { kind: "stall" } });
  await client.account.balance();
  throw new Error("its own failure");
});

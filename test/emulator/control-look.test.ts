import { expect, test } from "vitest";
import { createControlled, VALID } from "./support/service.js";

const BALANCE = { method: "GET", path: "/api/v1/account/balance" };

test("the overview counts what grows, shows what is armed, and names no key's value", async () => {
  const { control, create, emulator } = createControlled({ credits: 100 });
  await create(VALID.song);
  emulator.faults.add({ times: 2, fault: { kind: "stall" } });
  emulator.providers.provider_b.next({ outcome: "hang" });
  const { body } = await control("GET", "/overview");
  expect(body).toMatchObject({
    generation: 0,
    clock: "virtual",
    service: emulator.url,
    tasks: 1,
    findings: 0,
    faults: [{ rule: { times: 2, fault: { kind: "stall" } }, left: 2 }],
    providers: { provider_a: { next: [], always: null }, provider_b: { next: [{ outcome: "hang" }] } },
    accounts: [{ balance: { available: 90, frozen: 10, total: 100 }, ledger_entries: 2 }],
  });
  expect(JSON.stringify(body)).not.toContain(emulator.apiKey);
});

test("another generation says that all that was seen is gone", async () => {
  const { control, emulator } = createControlled();
  const generation = async () => (await control("GET", "/overview")).body.generation;
  const snapshot = emulator.snapshot();
  expect(await generation()).toBe(0);
  await control("POST", "/reset", {});
  expect(await generation()).toBe(1);
  emulator.restore(snapshot);
  expect(await generation()).toBe(2);
});

test("tasks and the ledger are answered from a place on", async () => {
  const { control, create, emulator } = createControlled({ credits: 100 });
  const ids = [await create(VALID.song), await create(VALID.lyrics), await create(VALID.custom)];
  const from = async (place: string) => (await control("GET", `/tasks/from/${place}`)).body.tasks;
  expect((await from("0")).map((task: { task_id: string }) => task.task_id)).toEqual(ids);
  expect(await from("2")).toMatchObject([{ ordinal: 2, task_id: ids[2], about: "fado", status: "pending" }]);
  expect(await from("3")).toEqual([]);
  expect((await control("GET", "/tasks/from/-1")).status).toBe(404);
  const ledger = await control("GET", `/accounts/${emulator.accountId}/ledger/from/2`);
  expect(ledger.body.entries).toMatchObject([
    { kind: "freeze", credits: 5, task_id: ids[1] },
    { kind: "freeze", credits: 10, task_id: ids[2] },
  ]);
});

test("a task is shown with its plan and its money, and being looked at does not move it", async () => {
  const { control, create, read, emulator } = createControlled({ credits: 100 });
  const taskId = await create(VALID.song, { queue_seconds: 5, process_seconds: 10 });
  await emulator.clock.advance(60_000);
  const before = emulator.snapshot();
  const { body } = await control("GET", `/tasks/${taskId}`);
  expect(body).toMatchObject({
    account_id: emulator.accountId,
    task: { task_id: taskId, status: "pending" },
    reads: 0,
    plan: {
      outcome: "success",
      works_from: "2026-01-01T00:00:05.000Z",
      ends_at: "2026-01-01T00:00:15.000Z",
      ends_at_read: null,
    },
    ledger: [{ kind: "freeze", credits: 10 }],
  });
  expect(emulator.snapshot()).toEqual(before);
  const seen = await read(taskId);
  expect((await control("GET", `/tasks/${taskId}`)).body.task).toEqual(seen);
  expect((await control("GET", "/tasks/none")).status).toBe(404);
});

test.each([
  [
    "a task",
    (taskId: string) => `/tasks/${taskId}`,
    { task: { status: "timeout", error_code: "upstream_provider_error" } },
  ],
  ["the tasks", () => "/tasks/from/0", { tasks: [{ status: "timeout" }] }],
  [
    "the ledger",
    (_: string, accountId: string) => `/accounts/${accountId}/ledger/from/2`,
    { entries: [{ kind: "refund", credits: 10 }] },
  ],
])("whoever looks at %s first applies the hour", async (_, pathOf, seen) => {
  const { control, create, emulator } = createControlled({ credits: 100 });
  const taskId = await create(VALID.song, { outcome: "hang" });
  await emulator.clock.advance(3_600_001);
  expect((await control("GET", pathOf(taskId, emulator.accountId))).body).toMatchObject(seen);
});

test("a clip's audio and cover are there without a trace, for as long as they are anywhere", async () => {
  const { control, create, read, emulator, send } = createControlled({ credits: 100 });
  const heard = async (outcome: object) => {
    const [clip] = (await read(await create(VALID.song, { polls: 1, ...outcome }))).output.result;
    const audio = await send(`/_emulator/clips/${clip.id}/audio`, { headers: { Range: "bytes=0-3" } });
    return { clip, audio };
  };
  const { clip, audio } = await heard({});
  expect([audio.status, audio.body, audio.headers.get("Content-Type")]).toEqual([206, "RIFF", "audio/wav"]);
  expect((await heard({ storable: false })).audio.status).toBe(206);
  expect((await control("GET", `/clips/${clip.id}/art`)).body).toMatch(/^<svg/);
  expect(emulator.requests.every(({ path }) => path.startsWith("/api/v1/task"))).toBe(true);
  await emulator.clock.advance(7 * 86_400_000);
  expect((await control("GET", `/clips/${clip.id}/audio`)).status).toBe(404);
  expect((await control("GET", `/clips/${clip.id}/art`)).status).toBe(200);
});

test("a request in an account's name is limited, logged, audited and billed like any other", async () => {
  const { control, emulator } = createControlled({ credits: 10, limits: { requests: 2 } });
  const send = (body: object) => control("POST", `/accounts/${emulator.accountId}/requests`, body);
  const created = await send({
    method: "POST",
    path: "/api/v1/task",
    body: VALID.song,
    outcome: { polls: 1 },
  });
  expect(created.body).toMatchObject({
    ended: "answer",
    status: 202,
    body: { data: { credits_charged: 10 } },
  });
  const { task_id: taskId } = created.body.body.data;
  const read = await send({ method: "GET", path: `/api/v1/task/${taskId}` });
  expect(read.body).toMatchObject({ status: 200, headers: { "X-RateLimit-Remaining": "0" } });
  expect(read.body.body.data.status).toBe("success");
  expect((await send(BALANCE)).body).toMatchObject({ status: 429, body: { error_code: "rate_limited" } });
  expect(emulator.requests.map(({ status }) => status)).toEqual([202, 200, 429]);
  expect(JSON.stringify(read.body)).not.toContain(emulator.apiKey);
});

test("a request in an account's name meets the faults, and waits on the clock for one that delays it", async () => {
  const { control, emulator } = createControlled();
  const send = async (body: object = BALANCE) =>
    (await control("POST", `/accounts/${emulator.accountId}/requests`, body)).body;
  const at = (kind: "before" | "after") => emulator.faults.add({ fault: { kind: "disconnect", when: kind } });
  at("before");
  expect(await send()).toEqual({ ended: "disconnect", status: null, headers: null, body: null });
  at("after");
  expect(await send()).toMatchObject({ ended: "disconnect" });
  emulator.faults.add({ fault: { kind: "stall" } });
  expect(await send()).toMatchObject({ ended: "stall" });
  emulator.faults.add({ fault: { kind: "malformed" } });
  expect(await send()).toMatchObject({ status: 200, body: expect.any(String) });
  emulator.faults.add({ fault: { kind: "latency", ms: 5000 } });
  const before = emulator.clock.now();
  expect(await send()).toMatchObject({ status: 200 });
  expect(emulator.clock.now() - before).toBe(5000);
});

test("without a key that is enabled, or at another path, nothing is sent", async () => {
  const { control, emulator } = createControlled();
  const path = `/accounts/${emulator.accountId}/requests`;
  const refused = async (body: object) => (await control("POST", path, body)).body.message;
  expect(await refused({ method: "GET", path: "/_emulator/state" })).toContain("/api/v1/");
  expect(await refused({ method: "GET", path: "/api/v1/task/x?y" })).toContain("/api/v1/");
  expect(await refused({ method: "DELETE", path: "/api/v1/task" })).toContain("method");
  const [key] = emulator.accounts.get(emulator.accountId).keys;
  emulator.accounts.updateKey(emulator.accountId, key?.key_id ?? "", { disabled: true });
  expect(await refused(BALANCE)).toContain("no enabled key");
  expect(emulator.requests).toEqual([]);
});

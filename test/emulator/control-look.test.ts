import type { EmulatorOptions, Fault } from "async-music/emulator";
import { expect, test } from "vitest";
import { failWith } from "../support/faults.js";
import { clipsOf, createControlled, VALID } from "./support/service.js";

const BALANCE = { method: "GET", path: "/api/v1/account/balance" };

test("the overview shows counts, faults and scripted outcomes, but no API key", async () => {
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
    rules: [
      { fault: { times: 2, fault: { kind: "stall" } }, outcome: null, model: null, left: 2, fired: 0 },
      { fault: null, outcome: { outcome: "hang" }, model: "provider_b", left: 1, fired: 0 },
    ],
    accounts: [{ balance: { available: 90, frozen: 10, total: 100 }, ledger_entries: 2 }],
  });
  expect(JSON.stringify(body)).not.toContain(emulator.apiKey);
});

test("the overview shows how often each rule fired and in which exchanges, also after it was used up", async () => {
  const { control, create, emulator, get } = createControlled({ credits: 100 });
  const { account_id: other } = emulator.accounts.create();
  const rules = async () => (await control("GET", "/overview")).body.rules;
  emulator.faults.add({ account_id: emulator.accountId, path: "/api/v1/account/*", fault: failWith(502) });
  emulator.faults.add({ path: "/api/v1/account/*", probability: 1, fault: { kind: "latency", ms: 1 } });
  emulator.providers.provider_a.next({ clips: 0 });
  emulator.providers.provider_a.always({ outcome: "hang" });
  emulator.providers.provider_a.next({ account_id: other, clips: 1 });
  for (let count = 0; count < 3; count++) await get(BALANCE.path);
  await create(VALID.song);
  await create(VALID.song);
  // The outcome that a request sets for its own task is no rule.
  await create(VALID.song, { outcome: "hang" });
  const usedUp = { left: 0, fired: 1 };
  expect(await rules()).toMatchObject([
    { fault: { probability: 1 }, account_id: null, left: null, fired: 2, exchanges: [2, 3] },
    { outcome: { clips: 1 }, model: "provider_a", account_id: other, left: 1, fired: 0, exchanges: [] },
    { outcome: { outcome: "hang" }, account_id: null, left: null, fired: 1, exchanges: [5] },
    { outcome: { clips: 0 }, model: "provider_a", account_id: null, ...usedUp, exchanges: [4] },
    { fault: { fault: failWith(502) }, account_id: emulator.accountId, ...usedUp, exchanges: [1] },
  ]);
  await control("POST", "/reset", {});
  expect(await rules()).toEqual([]);
});

test("one rule is removed by its ID, and no other", async () => {
  const { control, emulator } = createControlled();
  const { account_id: other } = emulator.accounts.create();
  const hang = { outcome: "hang" } as const;
  const rules = async () => (await control("GET", "/overview")).body.rules;
  for (let count = 0; count < 2; count++) {
    emulator.faults.add({ fault: { kind: "stall" } });
    emulator.providers.provider_a.next(hang);
  }
  emulator.providers.provider_a.always(hang);
  emulator.providers.provider_a.always({ ...hang, account_id: other });
  const left: number[] = (await rules()).map(({ id }: { id: number }) => id);
  expect(new Set(left).size).toBe(6);
  while (left.length > 0) {
    const [id] = left.splice(Math.floor(left.length / 2), 1);
    expect((await control("DELETE", `/rules/${id}`)).status).toBe(204);
    expect((await rules()).map((rule: { id: number }) => rule.id)).toEqual(left);
    expect((await control("DELETE", `/rules/${id}`)).status).toBe(404);
  }
});

test("the overview shows the seed and the credits of a reset", async () => {
  const resetOf = async (options: EmulatorOptions) => {
    const { control } = createControlled(options);
    await control("POST", "/reset", { seed: 9 });
    return (await control("GET", "/overview")).body.reset;
  };
  expect(await resetOf({})).toEqual({ seed: 1, credits: 1000 });
  expect(await resetOf({ seed: 7, credits: 0 })).toEqual({ seed: 7, credits: 0 });
  expect(await resetOf({ seed: 7, seedFile: {} })).toEqual({ seed: 7, credits: null });
});

test("a reset and a restored snapshot start another generation", async () => {
  const { control, emulator } = createControlled();
  const generation = async () => (await control("GET", "/overview")).body.generation;
  const snapshot = emulator.snapshot();
  expect(await generation()).toBe(0);
  await control("POST", "/reset", {});
  expect(await generation()).toBe(1);
  emulator.restore(snapshot);
  expect(await generation()).toBe(2);
});

test("tasks and ledger entries are returned from an index on", async () => {
  const { control, create, emulator } = createControlled({ credits: 100 });
  const ids = [await create(VALID.song), await create(VALID.lyrics), await create(VALID.custom)];
  const from = async (index: string) => (await control("GET", `/tasks/from/${index}`)).body.tasks;
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

test("a request of the page whose body is too large is refused as the API refuses it", async () => {
  const { control, emulator } = createControlled({ credits: 100 });
  const body = { ...VALID.song, input: { gpt_description_prompt: "x".repeat(2 ** 20) } };
  const request = { method: "POST", path: "/api/v1/task", body };
  const sent = await control("POST", `/accounts/${emulator.accountId}/requests`, request);
  expect(sent.body).toMatchObject({ status: 400, body: { error_code: "invalid_request_body" }, issues: [] });
  expect((await control("GET", "/overview")).body.tasks).toBe(0);
});

test("what a task is about is cut after a whole character, and shows that it is cut", async () => {
  const { control, create } = createControlled({ credits: 100 });
  const prompts = ["x".repeat(140), "x".repeat(141), `x${"🎵".repeat(100)}`];
  for (const gpt_description_prompt of prompts)
    await create({ ...VALID.song, input: { gpt_description_prompt } });
  const { tasks } = (await control("GET", "/tasks/from/0")).body;
  const shown = tasks.map(({ about }: { about: string }) => about);
  expect(shown).toEqual([prompts[0], `${"x".repeat(139)}…`, `x${"🎵".repeat(69)}…`]);
});

test("a task is returned with its plan and its ledger entries, and does not change", async () => {
  const { control, create, read, emulator, advance } = createControlled({ credits: 100 });
  const taskId = await create(VALID.song, { queue_seconds: 5, process_seconds: 10 });
  await advance(60_000);
  const before = emulator.snapshot();
  const works_from = "2026-01-01T00:00:05.000Z";
  const plan = { outcome: "success", works_from, ends_at: "2026-01-01T00:00:15.000Z", ends_at_read: null };
  expect((await control("GET", `/tasks/${taskId}`)).body).toMatchObject({
    account_id: emulator.accountId,
    task: { task_id: taskId, status: "pending" },
    reads: 0,
    plan,
    ledger: [{ kind: "freeze", credits: 10 }],
  });
  expect(emulator.snapshot()).toEqual(before);
  const seen = await read(taskId);
  expect((await control("GET", `/tasks/${taskId}`)).body.task).toEqual(seen);
  expect((await control("GET", "/tasks/none")).status).toBe(404);
});

test.each([
  ["/tasks/{task}", { task: { status: "timeout", error_code: "upstream_provider_error" } }],
  ["/tasks/from/0", { tasks: [{ status: "timeout" }] }],
  ["/accounts/{account}/ledger/from/2", { entries: [{ kind: "refund", credits: 10 }] }],
])("GET %s applies the task timeout first", async (path, seen) => {
  const { control, create, emulator, advance } = createControlled({ credits: 100 });
  const taskId = await create(VALID.song, { outcome: "hang" });
  await advance(3_600_001);
  const filled = path.replace("{task}", taskId).replace("{account}", emulator.accountId);
  expect((await control("GET", filled)).body).toMatchObject(seen);
});

test("a clip's audio is served for seven days and its cover permanently, both without a log entry", async () => {
  const service = createControlled({ credits: 100 });
  const { control, emulator, send, advance } = service;
  const [clip] = await clipsOf(service);
  const [unstored] = await clipsOf(service, VALID.song, { storable: false });
  const audioOf = ({ id }: { id: string }) =>
    send(`/_emulator/clips/${id}/audio`, { headers: { Range: "bytes=0-3" } });
  const audio = await audioOf(clip);
  expect([audio.status, audio.body, audio.headers.get("Content-Type")]).toEqual([206, "RIFF", "audio/wav"]);
  expect((await audioOf(unstored)).status).toBe(206);
  expect((await control("GET", `/clips/${clip.id}/art`)).body).toMatch(/^<svg/);
  expect(emulator.requests.every(({ path }) => path.startsWith("/api/v1/task"))).toBe(true);
  await advance(7 * 86_400_000);
  expect((await control("GET", `/clips/${clip.id}/audio`)).status).toBe(404);
  expect((await control("GET", `/clips/${clip.id}/art`)).status).toBe(200);
});

/** A service whose `sendFor` sends a request on behalf of its account, through the control plane. */
function createSender(options: EmulatorOptions = {}) {
  const service = createControlled(options);
  const path = `/accounts/${service.emulator.accountId}/requests`;
  const sendFor = async (request: object) => (await service.control("POST", path, request)).body;
  return { ...service, sendFor };
}

test("a request on behalf of an account is limited, logged, audited and charged like any other", async () => {
  const { emulator, sendFor } = createSender({ credits: 10, limits: { requests: 2 } });
  const post = { method: "POST", path: "/api/v1/task", body: VALID.song, outcome: { polls: 1 } };
  const created = await sendFor(post);
  expect(created).toMatchObject({ ended: "response", status: 202, body: { data: { credits_charged: 10 } } });
  const read = await sendFor({ method: "GET", path: `/api/v1/task/${created.body.data.task_id}` });
  expect(read).toMatchObject({ status: 200, headers: { "X-RateLimit-Remaining": "0" } });
  expect(read.body.data.status).toBe("success");
  expect(await sendFor(BALANCE)).toMatchObject({ status: 429, body: { error_code: "rate_limited" } });
  expect(emulator.requests.map(({ status }) => status)).toEqual([202, 200, 429]);
  expect(JSON.stringify(read)).not.toContain(emulator.apiKey);
});

test.each<[Fault, object]>([
  [
    { kind: "disconnect", when: "before" },
    { ended: "disconnect", status: null, headers: null, body: null, issues: [] },
  ],
  [{ kind: "disconnect", when: "after" }, { ended: "disconnect" }],
  [{ kind: "stall" }, { ended: "stall" }],
  [{ kind: "malformed" }, { status: 200, body: expect.any(String) }],
  [failWith(503), { ended: "response", status: 503 }],
])("the fault %j applies to a request on behalf of an account", async (given, seen) => {
  const { fault, sendFor } = createSender();
  fault(given);
  expect(await sendFor(BALANCE)).toMatchObject(seen);
});

test("latency of a request on behalf of an account takes emulator time", async () => {
  const { emulator, fault, sendFor } = createSender();
  fault({ kind: "latency", ms: 5000 });
  const before = emulator.clock.now();
  expect(await sendFor(BALANCE)).toMatchObject({ status: 200 });
  expect(emulator.clock.now() - before).toBe(5000);
});

test("a request on behalf of an account needs a path of the API and an enabled key", async () => {
  const { emulator, sendFor } = createSender();
  const refused = async (request: object) => (await sendFor(request)).message;
  expect(await refused({ method: "GET", path: "/_emulator/state" })).toContain("/api/v1/");
  expect(await refused({ method: "GET", path: "/api/v1/task/x?y" })).toContain("/api/v1/");
  expect(await refused({ method: "DELETE", path: "/api/v1/task" })).toContain("method");
  const [key] = emulator.accounts.get(emulator.accountId).keys;
  emulator.accounts.updateKey(emulator.accountId, key?.key_id ?? "", { disabled: true });
  expect(await refused(BALANCE)).toContain("no enabled API key");
  expect(emulator.requests).toEqual([]);
});

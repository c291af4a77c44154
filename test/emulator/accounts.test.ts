import { expect, test } from "vitest";
import { BALANCE, createService, serviceOf, TASK, USAGE, VALID } from "./support/service.js";

/** Two accounts of one emulator, each with credits and a key. */
function createNeighbours() {
  const first = createService({ credits: 100 });
  const { emulator } = first;
  const { account_id: accountId, api_key: apiKey } = emulator.accounts.create({ credits: 50 });
  return { emulator, first, second: serviceOf(emulator, { apiKey }), accountId };
}

test("a missing key and a wrong key are told apart, and neither shows what is left", async () => {
  const { send, get } = createService();
  for (const path of [BALANCE, USAGE, `${TASK}/x`]) {
    const missing = await send(path);
    expect([missing.status, missing.body.error_code]).toEqual([401, "missing_api_key"]);
    expect(missing.headers.has("X-RateLimit-Remaining")).toBe(false);
    for (const apiKey of ["emu_unknown", "", "constructor"]) {
      const wrong = await get(path, { "x-api-key": apiKey });
      expect([wrong.status, wrong.body.error_code]).toEqual([401, "invalid_api_key"]);
      expect(wrong.headers.has("X-RateLimit-Remaining")).toBe(false);
    }
  }
});

test("no answer ever holds the key", async () => {
  const { emulator, get, post } = createService();
  for (const { body } of [
    await get(BALANCE),
    await post(VALID.song),
    await post("{"),
    await get("/nowhere"),
  ]) {
    expect(JSON.stringify(body)).not.toContain(emulator.apiKey);
  }
  expect(JSON.stringify(emulator.accounts.list())).not.toContain(emulator.apiKey);
});

test("a disabled key is refused until it is enabled again, and a deleted one for ever", async () => {
  const { emulator } = createService();
  const { key_id: keyId, api_key: apiKey } = emulator.accounts.createKey(emulator.accountId);
  const { get } = serviceOf(emulator, { apiKey });
  expect((await get(BALANCE)).status).toBe(200);
  emulator.accounts.updateKey(emulator.accountId, keyId, { disabled: true });
  expect((await get(BALANCE)).body.error_code).toBe("invalid_api_key");
  emulator.accounts.updateKey(emulator.accountId, keyId, { disabled: false });
  expect((await get(BALANCE)).status).toBe(200);
  emulator.accounts.deleteKey(emulator.accountId, keyId);
  expect((await get(BALANCE)).body.error_code).toBe("invalid_api_key");
});

test("all keys of an account spend its credits and see its tasks", async () => {
  const { emulator, create, balance } = createService({ credits: 100 });
  const { api_key: apiKey } = emulator.accounts.createKey(emulator.accountId);
  const other = serviceOf(emulator, { apiKey });
  const taskId = await create();
  expect((await other.read(taskId)).status).toBe("pending");
  await other.create();
  expect(await balance()).toEqual({ available: 80, frozen: 20, total: 100 });
});

test("a task of another account is not found, in the same words as one that never was", async () => {
  const { first, second } = createNeighbours();
  const taskId = await first.create();
  const foreign = await second.get(`${TASK}/${taskId}`);
  const unknown = await second.get(`${TASK}/00000000-0000-4000-8000-000000000000`);
  expect(foreign.status).toBe(404);
  expect(foreign.body).toEqual(unknown.body);
});

test("looking for another account's task does not move it", async () => {
  const { first, second } = createNeighbours();
  const taskId = await first.create(VALID.song, { polls: 1 });
  await second.get(`${TASK}/${taskId}`);
  expect((await first.balance()).frozen).toBe(10);
});

test("balances and usage are each account's own", async () => {
  const { first, second } = createNeighbours();
  await first.create();
  expect(await second.balance()).toEqual({ available: 50, frozen: 0, total: 50 });
  expect((await second.get(USAGE)).body.data).toEqual({
    tasks_created: 0,
    credits_used: 0,
    credits_topped_up: 50,
  });
  expect((await first.get(USAGE)).body.data).toEqual({
    tasks_created: 1,
    credits_used: 10,
    credits_topped_up: 100,
  });
});

test("a suspended account creates no tasks, and everything else goes on", async () => {
  const { emulator, create, post, read, balance } = createService({ credits: 100 });
  const taskId = await create(VALID.song, { polls: 1 });
  emulator.accounts.update(emulator.accountId, { suspended: true });
  const { status, body } = await post(VALID.song);
  expect([status, body.error_code]).toEqual([403, "account_suspended"]);
  expect((await read(taskId)).status).toBe("success");
  expect(await balance()).toEqual({ available: 90, frozen: 0, total: 90 });
  emulator.accounts.update(emulator.accountId, { suspended: false });
  expect((await post(VALID.song)).status).toBe(202);
});

test("a clip belongs to its account: a foreign one is as good as none, in the same words", async () => {
  const { first, second } = createNeighbours();
  const song = await first.read(await first.create(VALID.song, { polls: 1 }));
  const continuation = (clipId: string) => ({
    model: "provider_a",
    task_type: "music",
    input: { continue_clip_id: clipId },
  });

  const own = await first.read(await first.create(continuation(song.output.result[0].id), { polls: 1 }));
  expect(own.status).toBe("success");
  const outcomes = [];
  for (const clipId of [song.output.result[0].id, "00000000-0000-4000-8000-000000000000"]) {
    const taskId = await second.create(continuation(clipId), { polls: 1 });
    const { status, error, error_code, retryable } = await second.read(taskId);
    outcomes.push({ status, error, error_code, retryable });
  }
  expect(outcomes[0]).toMatchObject({
    status: "failure",
    error_code: "invalid_task_input",
    retryable: false,
  });
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(await second.balance()).toEqual({ available: 50, frozen: 0, total: 50 });
});

test("an upload's clip can be continued but not joined, and a song's both", async () => {
  const { create, read } = createService();
  const clipOf = async (body: unknown) => (await read(await create(body, { polls: 1 }))).output.result[0].id;
  const [song, upload] = [await clipOf(VALID.song), await clipOf(VALID.upload)];
  const continued = (clipId: string) => ({ ...VALID.song, input: { continue_clip_id: clipId } });
  const joined = (clipId: string) => ({ ...VALID.concat, input: { clip_id: clipId } });
  const ends = [];
  for (const body of [continued(song), continued(upload), joined(song), joined(upload)]) {
    ends.push((await read(await create(body, { polls: 1 }))).status);
  }
  expect(ends).toEqual(["success", "success", "success", "failure"]);
});

test("ids that there are not are an error that names them", () => {
  const { emulator } = createService();
  expect(() => emulator.accounts.get("nobody")).toThrow(/nobody/);
  expect(() => emulator.accounts.deleteKey(emulator.accountId, "no key")).toThrow(/no key/);
  expect(() => emulator.accounts.create({ credits: 1.5 })).toThrow(/`credits`/);
});

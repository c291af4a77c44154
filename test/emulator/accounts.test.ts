import { expect, test } from "vitest";
import { BALANCE, createService, serviceOf, TASK, USAGE, VALID } from "./support/service.js";

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

test("ids that there are not are an error that names them", () => {
  const { emulator } = createService();
  expect(() => emulator.accounts.get("nobody")).toThrow(/nobody/);
  expect(() => emulator.accounts.deleteKey(emulator.accountId, "no key")).toThrow(/no key/);
  expect(() => emulator.accounts.create({ credits: 1.5 })).toThrow(/`credits`/);
});

import { expect, test } from "vitest";
import {
  BALANCE,
  createControlled,
  createService,
  serviceOf,
  TASK,
  USAGE,
  VALID,
} from "./support/service.js";

test("a missing and a wrong API key have different error codes, and no rate limit", async () => {
  const { send, get } = createService();
  for (const path of [BALANCE, USAGE, `${TASK}/x`]) {
    const wrong = ["emu_unknown", "", "constructor"].map((key) => get(path, { "x-api-key": key }));
    const responses = await Promise.all([send(path), ...wrong]);
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    const codes = ["missing_api_key", ...Array(3).fill("invalid_api_key")];
    expect(responses.map(({ body }) => body.error_code)).toEqual(codes);
    for (const { headers } of responses) expect(headers.has("X-RateLimit-Remaining")).toBe(false);
  }
});

test("no response contains the API key", async () => {
  const { emulator, get, post } = createService();
  const responses = [await get(BALANCE), await post(VALID.song), await post("{"), await get("/nowhere")];
  const bodies = responses.map(({ body }) => body);
  expect(JSON.stringify([bodies, emulator.accounts.list()])).not.toContain(emulator.apiKey);
});

test("a task of another account gets the same response as an unknown task, and does not change", async () => {
  const { emulator, create, balance } = createService({ credits: 100 });
  const other = serviceOf(emulator, { apiKey: emulator.accounts.create({ credits: 50 }).api_key });
  const taskId = await create(VALID.song, { polls: 1 });
  const foreign = await other.get(`${TASK}/${taskId}`);
  const unknown = await other.get(`${TASK}/00000000-0000-4000-8000-000000000000`);
  expect(foreign.status).toBe(404);
  expect(foreign.body).toEqual(unknown.body);
  expect((await balance()).frozen).toBe(10);
});

test("an unknown id is an error that names it", () => {
  const { accounts, accountId } = createService().emulator;
  expect(() => accounts.get("unknown account")).toThrow(/unknown account/);
  expect(() => accounts.deleteKey(accountId, "unknown key")).toThrow(/unknown key/);
  expect(() => accounts.create({ credits: 1.5 })).toThrow(/`credits`/);
});

test("the list of keys has names, the last four characters, and when each was created and last used", async () => {
  const { emulator, control, advance } = createControlled();
  const { accountId } = emulator;
  await advance(5000);
  const { key_id, api_key: apiKey } = emulator.accounts.createKey(accountId);
  const listed = async () => (await control("GET", `/accounts/${accountId}/keys`)).body.keys;
  emulator.accounts.updateKey(accountId, key_id, { name: "batch job" });
  const unused = { disabled: false, last_used_at: null };
  const mine = { key_id, name: "batch job", last_four: apiKey.slice(-4) };
  expect(await listed()).toMatchObject([
    { ...unused, name: "", created_at: "2026-01-01T00:00:00.000Z" },
    { ...unused, ...mine, created_at: "2026-01-01T00:00:05.000Z" },
  ]);
  await advance(1000);
  await serviceOf(emulator, { apiKey }).balance();
  emulator.restore(emulator.snapshot());
  const used = { ...mine, last_used_at: "2026-01-01T00:00:06.000Z" };
  expect((await listed())[1]).toMatchObject(used);
  emulator.accounts.updateKey(accountId, key_id, { disabled: true });
  await advance(1000);
  await serviceOf(emulator, { apiKey }).get(BALANCE);
  expect((await listed())[1]).toMatchObject(used);
  const change = (name: string) => emulator.accounts.updateKey(accountId, key_id, { name });
  expect(() => change("x".repeat(101))).toThrow("at most 100 characters");
});

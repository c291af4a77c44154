import { beforeEach, describe, expect, test } from "vitest";
import { failWith } from "../support/faults.js";
import { BALANCE, type ControlledService, createControlled, TASK, VALID } from "./support/service.js";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

let service: ControlledService;
beforeEach(() => {
  service = createControlled({ credits: 100 });
});

test("a reset applies the given options, and keeps the API key", async () => {
  const { control, create, emulator, balance, advance } = service;
  await create();
  await advance(1000);
  const policy = { late_success: "success" };
  const limits = { requests: 5, window_seconds: 10 };
  const { status, body } = await control("POST", "/reset", { seed: 9, credits: 7, policy, limits });
  expect([status, body]).toEqual([200, { account_id: emulator.accountId, api_key: emulator.apiKey }]);
  expect(await balance()).toEqual({ available: 7, frozen: 0, total: 7 });
  const state = (await control("GET", "/state")).body;
  expect(state).toMatchObject({ now: "2026-01-01T00:00:00.000Z", policy, limits, tasks: [] });
});

test("a reset without options uses those of the creation", async () => {
  const { control, emulator, balance } = service;
  emulator.accounts.create();
  for (const body of [undefined, {}]) expect((await control("POST", "/reset", body)).status).toBe(200);
  expect(emulator.accounts.list()).toHaveLength(1);
  expect((await balance()).total).toBe(100);
});

test("the state is a copy that shows every account with its ledger, and every task", async () => {
  const { control, create, read, emulator } = service;
  const taskId = await create(VALID.song, { polls: 1 });
  await read(taskId);
  const unfinished = await create(VALID.lyrics);
  const { body } = await control("GET", "/state");
  const at = "2026-01-01T00:00:00.000Z";
  expect(body).toMatchObject({
    now: at,
    limits: { requests: 1_000_000, window_seconds: 60 },
    accounts: [
      {
        account_id: emulator.accountId,
        suspended: false,
        balance: { available: 85, frozen: 5, total: 90 },
        usage: { tasks_created: 2, credits_used: 15, credits_topped_up: 100 },
        keys: [{ key_id: expect.any(String), disabled: false }],
        ledger: [
          { at, kind: "top_up", credits: 100, task_id: null },
          { at, kind: "freeze", credits: 10, task_id: taskId },
          { at, kind: "settle", credits: 10, task_id: taskId },
          { at, kind: "freeze", credits: 5, task_id: unfinished },
        ],
      },
    ],
    tasks: [
      { account_id: emulator.accountId, task_id: taskId, status: "success" },
      { account_id: emulator.accountId, task_id: unfinished, status: "pending" },
    ],
  });
  expect(JSON.stringify(body)).not.toContain(emulator.apiKey);
  const inProcess = { ...body, limits: { requests: 1_000_000, windowSeconds: 60 } };
  const seen = emulator.state();
  expect(seen).toEqual(inProcess);
  Object.assign(seen.policy, { late_success: "success" });
  Object.assign(seen.limits, { requests: 1 });
  expect(emulator.state()).toEqual(inProcess);
});

test("advancing the clock moves the service's time, and wakes sleepers", async () => {
  const { control, emulator } = service;
  let isAwake = false;
  void emulator.clock.sleep(5_000).then(() => {
    isAwake = true;
  });
  const { status, body } = await control("POST", "/clock/advance", { seconds: 3600.5 });
  expect([status, body, isAwake]).toEqual([200, { now: "2026-01-01T01:00:00.500Z" }, true]);
});

test.each([4.001, 8.002, 1.001, 0.001, 3599.999])("the clock advances by exactly %d s", async (seconds) => {
  const { body } = await service.control("POST", "/clock/advance", { seconds });
  const elapsed = Date.parse(body.now) - Date.parse("2026-01-01T00:00:00.000Z");
  expect(elapsed).toBe(Number((seconds * 1000).toFixed(0)));
});

test("accounts and API keys can be created, changed and deleted", async () => {
  const { control, get, post } = service;
  const { status, body: account } = await control("POST", "/accounts", { credits: 30 });
  expect(status).toBe(201);
  const { account_id: id, key_id: keyId, api_key: apiKey } = account;
  const balance = async (key: string) => {
    const { body } = await get(BALANCE, { "x-api-key": key });
    return body.data?.total ?? body.error_code;
  };
  expect(await balance(apiKey)).toBe(30);

  const other = await control("POST", `/accounts/${id}/keys`);
  expect([other.status, Object.keys(other.body)]).toEqual([201, ["key_id", "api_key"]]);
  expect(await balance(other.body.api_key)).toBe(30);

  const keyPath = `/accounts/${id}/keys/${keyId}`;
  const disabled = await control("PATCH", keyPath, { disabled: true });
  expect([disabled.status, disabled.body]).toEqual([200, { key_id: keyId, disabled: true }]);
  expect(await balance(apiKey)).toBe("invalid_api_key");
  await control("PATCH", keyPath, { disabled: false });
  expect(await balance(apiKey)).toBe(30);
  const deleted = await control("DELETE", keyPath);
  expect([deleted.status, deleted.body, deleted.headers.get("Content-Length")]).toEqual([204, "", "0"]);
  expect(await balance(apiKey)).toBe("invalid_api_key");

  const suspended = await control("PATCH", `/accounts/${id}`, { suspended: true });
  expect([suspended.status, suspended.body.suspended]).toEqual([200, true]);
  expect((await post(VALID.song, { "x-api-key": other.body.api_key })).status).toBe(403);
  expect((await control("POST", "/accounts")).status).toBe(201);
});

test("faults can be added and removed, and do not apply to the control plane", async () => {
  const { control, get } = service;
  const fault = { times: 1000, fault: failWith(503) };
  const added = await control("POST", "/faults", fault);
  expect([added.status, added.body]).toEqual([201, fault]);
  await control("POST", "/faults", { path: "/_emulator/*", fault: { kind: "disconnect", when: "before" } });
  expect((await get(BALANCE)).status).toBe(503);
  expect((await control("GET", "/audit")).status).toBe(200);
  expect((await control("DELETE", "/faults")).status).toBe(204);
  expect((await get(BALANCE)).status).toBe(200);
});

test("a change of one policy option or limit returns all of them", async () => {
  const { control, emulator, get } = service;
  const policy = await control("PATCH", "/policy", { late_success: "success" });
  expect([policy.status, policy.body]).toEqual([200, { ...emulator.policy, late_success: "success" }]);
  expect(Object.keys(policy.body)).toHaveLength(11);
  const limits = await control("PATCH", "/limits", { requests: 2 });
  expect([limits.status, limits.body]).toEqual([200, { requests: 2, window_seconds: 60 }]);
  for (const status of [200, 200, 429]) expect((await get(BALANCE)).status).toBe(status);
  expect((await control("GET", "/state")).status).toBe(200);
});

test("the request log and the audit leave out calls of the control plane", async () => {
  const { control, create, read } = service;
  const taskId = await create();
  for (const _ of [1, 2]) await read(taskId);
  const { requests } = (await control("GET", "/requests")).body;
  const reads = { method: "GET", path: `${TASK}/${taskId}` };
  expect(requests).toMatchObject([{ method: "POST", path: TASK }, reads, reads]);
  const { at, request_id } = requests[2];
  const finding = { rule: "polled_too_often", at, request_id, detail: expect.any(String) };
  expect((await control("GET", "/audit")).body.findings).toEqual([finding]);
});

describe("an invalid call changes nothing", () => {
  const stall = { kind: "stall" };
  const outcomes = [
    ...[{ outcome: "explode" }, { clips: -1 }, { clips: 5e-324 }],
    ...[{ format: "midi" }, { delay: 1 }, { alternate_urls: "x" }, { alternate_urls: ["x"] }],
  ];
  const invalid: [call: string, ...bodies: unknown[]][] = [
    ["POST /reset", { seed: 1.5 }, { credits: -1 }, { credits: "7" }, { unknown: 1 }, "[]", "null", "{"],
    ["POST /reset", { policy: { late_success: "maybe" } }, { policy: "random" }],
    ["POST /reset", { limits: { requests: 0 } }, { limits: { windowSeconds: 60 } }],
    ["POST /clock/advance", { seconds: -1 }, { seconds: "1" }, "{}", '{"seconds":1e300}'],
    ["POST /clock/advance", '{"seconds":9999999999999}'],
    ["POST /accounts", { credits: 0.5 }, { credits: null }],
    ["PATCH /accounts/{id}", { suspended: "yes" }, {}, { suspended: true, balance: 5 }],
    ["POST /accounts/{id}/keys", { name: "mine" }],
    ["PATCH /accounts/{id}/keys/{key}", { disabled: 1 }],
    ["POST /providers/provider_a/next", ...outcomes],
    ["PUT /providers/provider_b/always", ...outcomes],
    ["POST /faults", {}, { fault: { kind: "disconnect" } }, { times: 0, fault: stall }],
    ["POST /faults", { probability: 2, fault: stall }, { probability: 0, fault: stall }],
    ["PATCH /policy", { late_success: "success", running_after: "never" }, { unknown: true }],
    ["PATCH /limits", { requests: 5, window_seconds: 0 }, { requests: "5" }],
  ];

  test("a time beyond the year 9900 is refused with the field of the body", async () => {
    const { body } = await service.control("POST", "/clock/advance", { seconds: 999_999_999_999 });
    expect(body.message).toBe(
      "`seconds` must not move the clock past 9900-01-01T00:00:00Z; got 999999999999.",
    );
  });

  const calls = invalid.flatMap(([call, ...bodies]) => bodies.map((body) => [call, body] as const));

  test.each(calls)("%s %j", async (call, body) => {
    const { control, create, emulator, frozenState } = service;
    await create();
    const { account_id: id, keys } = emulator.accounts.get(emulator.accountId);
    const before = frozenState();
    const filled = call.replace("{id}", id).replace("{key}", `${keys[0]?.key_id}`);
    const [method = "", path = ""] = filled.split(" ");
    const { status, body: reply, headers } = await control(method, path, body);
    const { issues: _, ...error } = reply;
    const message = expect.not.stringContaining("Invalid");
    const code = body === "{" ? "invalid_json" : "invalid_request_body";
    expect([status, error]).toEqual([400, { code: 400, error_code: code, message }]);
    expect(headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(frozenState()).toBe(before);
  });

  test.each([
    ["PATCH", `/accounts/${UNKNOWN}`, { suspended: true }],
    ["POST", `/accounts/${UNKNOWN}/keys`, undefined],
    ["DELETE", `/accounts/{id}/keys/${UNKNOWN}`, undefined],
    ["PATCH", `/accounts/{id}/keys/${UNKNOWN}`, { disabled: true }],
    ["POST", "/providers/provider_c/next", {}],
    ["PUT", "/providers/constructor/always", {}],
    ["GET", "/nothing", undefined],
    ["GET", "", undefined],
    ["GET", "/", undefined],
    ["GET", "/accounts//keys", undefined],
  ])("an unknown id or path is a 404: %s %s", async (method, path, body) => {
    const { control, emulator, frozenState } = service;
    const before = frozenState();
    const { status, body: error } = await control(method, path.replace("{id}", emulator.accountId), body);
    const message = expect.any(String);
    expect([status, error]).toEqual([404, { code: 404, error_code: "not_found", message }]);
    expect(frozenState()).toBe(before);
  });

  test("a method that a path does not support is a 405 that names the supported ones", async () => {
    const { control } = service;
    const { status, body, headers } = await control("DELETE", "/snapshot");
    expect([status, body.error_code, headers.get("Allow")]).toEqual([405, "method_not_allowed", "GET, PUT"]);
    expect(await control("HEAD", "/state")).toMatchObject({ status: 405, body: "" });
  });
});

describe("access to the control plane", () => {
  const json = { "Content-Type": "application/json" };
  const call = (headers: Record<string, string>) =>
    service.send("/_emulator/clock/advance", { method: "POST", headers, body: '{"seconds":1}' });

  test.each([
    [{ Origin: "https://evil.example" }],
    [{ Origin: "null" }],
    [{ Origin: "http://localhost:3000" }],
    [{ Host: "evil.example" }],
    [{ Host: "localhost.evil.example:4010" }],
    [{ Host: "evil.example", Origin: "https://evil.example" }],
    [{ Host: "127.0.0.1:4010", Origin: "http://127.0.0.1:4011" }],
  ])("a page of another origin is refused: %j", async (headers) => {
    const before = service.frozenState();
    const { status, body } = await call({ ...json, ...headers });
    const message = expect.any(String);
    expect([status, body]).toEqual([403, { code: 403, error_code: "foreign_origin", message }]);
    expect((await service.send("/_emulator/state", { headers })).status).toBe(403);
    expect(service.frozenState()).toBe(before);
  });

  test("the emulator's own origin and names of this machine are allowed", async () => {
    const { url } = service.emulator;
    const own = [{}, { Origin: url }, { Host: new URL(url).host, Origin: url }];
    for (const headers of [...own, { Host: "localhost:4010" }, { Host: "[::1]:1" }])
      expect((await call({ ...json, ...headers })).status).toBe(200);
  });

  const form = ["application/x-www-form-urlencoded", "multipart/form-data"];

  test.each([...form, "text/plain", "", "application/jsonx"])(
    "a body of another content type than JSON is refused: %s",
    async (type) => {
      const headers = { "Content-Type": type };
      const before = service.frozenState();
      const { status, body } = await call(headers);
      expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
      const keys = `/_emulator/accounts/${service.emulator.accountId}/keys`;
      expect((await service.send(keys, { method: "POST", headers, body: "{}" })).status).toBe(400);
      expect(service.frozenState()).toBe(before);
    },
  );

  test("the API key is ignored, and the response has the caller's request ID", async () => {
    const headers = { "x-api-key": "emu_wrong", "X-Request-Id": "mine" };
    const response = await service.send("/_emulator/audit", { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("X-Request-Id")).toBe("mine");
    expect(response.headers.get("X-Emulator")).toBe("async-music");
    expect(response.headers.has("X-RateLimit-Remaining")).toBe(false);
  });
});

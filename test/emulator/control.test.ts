import { beforeEach, describe, expect, test } from "vitest";
import { BALANCE, type ControlledService, createControlled, TASK, VALID } from "./support/service.js";

const ACCOUNT = "00000000-0000-4000-8000-000000000000";

let service: ControlledService;
beforeEach(() => {
  service = createControlled({ credits: 100 });
});

test("reset begins anew with what it is told, and keeps the API key and the clock's mode", async () => {
  const { control, create, emulator, balance } = service;
  await create();
  await emulator.clock.advance(1000);
  const { status, body } = await control("POST", "/reset", {
    seed: 9,
    credits: 7,
    policy: { late_success: "success" },
    limits: { requests: 5, window_seconds: 10 },
  });
  expect([status, body]).toEqual([200, { account_id: emulator.accountId, api_key: emulator.apiKey }]);
  expect(await balance()).toEqual({ available: 7, frozen: 0, total: 7 });
  const state = (await control("GET", "/state")).body;
  expect(state.now).toBe("2026-01-01T00:00:00.000Z");
  expect(state.policy.late_success).toBe("success");
  expect(state.limits).toEqual({ requests: 5, window_seconds: 10 });
  expect(state.tasks).toEqual([]);
});

test("reset without a body, and with an empty one, is a reset with the options of the creation", async () => {
  const { control, emulator, balance } = service;
  emulator.accounts.create();
  expect((await control("POST", "/reset")).status).toBe(200);
  expect((await control("POST", "/reset", {})).status).toBe(200);
  expect(emulator.accounts.list()).toHaveLength(1);
  expect((await balance()).total).toBe(100);
});

test("the state shows accounts with every movement of credits, and all tasks", async () => {
  const { control, create, read, emulator } = service;
  const taskId = await create(VALID.song, { polls: 1 });
  await read(taskId);
  const open = await create(VALID.lyrics);
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
          { at, kind: "freeze", credits: 5, task_id: open },
        ],
      },
    ],
    tasks: [
      { account_id: emulator.accountId, task_id: taskId, status: "success" },
      { account_id: emulator.accountId, task_id: open, status: "pending" },
    ],
  });
  expect(JSON.stringify(body)).not.toContain(emulator.apiKey);
  expect(emulator.state()).toEqual({ ...body, limits: { requests: 1_000_000, windowSeconds: 60 } });
});

test("what is seen of the state is a copy: who changes it changes nothing", () => {
  const { emulator } = service;
  const seen = emulator.state();
  Object.assign(seen.policy, { late_success: "success" });
  Object.assign(seen.limits, { requests: 1 });
  expect(emulator.state()).not.toEqual(seen);
  expect(emulator.state()).toMatchObject({
    policy: { late_success: "timeout" },
    limits: { requests: 1_000_000 },
  });
});

test("advancing the clock moves the service's time, and wakes who sleeps on it", async () => {
  const { control, emulator } = service;
  let woken = false;
  void emulator.clock.sleep(5_000).then(() => {
    woken = true;
  });
  const { status, body } = await control("POST", "/clock/advance", { seconds: 3600.5 });
  expect([status, body, woken]).toEqual([200, { now: "2026-01-01T01:00:00.500Z" }, true]);
});

test.each([4.001, 8.002, 1.001, 0.001, 3599.999])(
  "advancing the clock by %d s moves it by just that",
  async (seconds) => {
    const { body } = await service.control("POST", "/clock/advance", { seconds });
    expect(Date.parse(body.now) - Date.parse("2026-01-01T00:00:00.000Z")).toBe(
      Number((seconds * 1000).toFixed(0)),
    );
  },
);

test("an account and its keys are made, changed and deleted", async () => {
  const { control, get } = service;
  const created = await control("POST", "/accounts", { credits: 30 });
  expect(created.status).toBe(201);
  const { account_id: id, key_id: keyId, api_key: apiKey } = created.body;
  const balance = async (key: string) => (await get(BALANCE, { "x-api-key": key })).body;
  expect((await balance(apiKey)).data.total).toBe(30);

  const other = await control("POST", `/accounts/${id}/keys`);
  expect([other.status, Object.keys(other.body)]).toEqual([201, ["key_id", "api_key"]]);
  expect((await balance(other.body.api_key)).data.total).toBe(30);

  const disabled = await control("PATCH", `/accounts/${id}/keys/${keyId}`, { disabled: true });
  expect([disabled.status, disabled.body]).toEqual([200, { key_id: keyId, disabled: true }]);
  expect((await balance(apiKey)).error_code).toBe("invalid_api_key");
  await control("PATCH", `/accounts/${id}/keys/${keyId}`, { disabled: false });
  expect((await balance(apiKey)).data.total).toBe(30);
  const deleted = await control("DELETE", `/accounts/${id}/keys/${keyId}`);
  expect([deleted.status, deleted.body, deleted.headers.get("Content-Length")]).toEqual([204, "", "0"]);
  expect((await balance(apiKey)).error_code).toBe("invalid_api_key");

  const suspended = await control("PATCH", `/accounts/${id}`, { suspended: true });
  expect([suspended.status, suspended.body.suspended]).toEqual([200, true]);
  const refused = await service.post(VALID.song, { "x-api-key": other.body.api_key });
  expect(refused.status).toBe(403);
  expect((await control("POST", "/accounts")).status).toBe(201);
});

test("outcomes are for the next task, or for all from now on", async () => {
  const { control, create, read } = service;
  const next = await control("POST", "/providers/provider_a/next", { outcome: "failure", polls: 1 });
  const always = await control("PUT", "/providers/provider_a/always", { polls: 2 });
  expect([next.status, next.body, always.status]).toEqual([204, "", 204]);
  expect((await read(await create(VALID.lyrics))).status).toBe("failure");
  const second = await create(VALID.lyrics);
  expect((await read(second)).status).not.toBe("success");
  expect((await read(second)).status).toBe("success");
  expect((await control("PUT", "/providers/provider_a/always", "null")).status).toBe(204);
});

test("faults are armed and disarmed, and never touch the control plane itself", async () => {
  const { control, get } = service;
  const fault = { times: 1000, fault: { kind: "status", status: 503, when: "before" } };
  const armed = await control("POST", "/faults", fault);
  expect([armed.status, armed.body]).toEqual([201, fault]);
  await control("POST", "/faults", { path: "/_emulator/*", fault: { kind: "disconnect", when: "before" } });
  expect((await get(BALANCE)).status).toBe(503);
  expect((await control("GET", "/audit")).status).toBe(200);
  expect((await control("DELETE", "/faults")).status).toBe(204);
  expect((await get(BALANCE)).status).toBe(200);
});

test("policy and limits change in part, and answer the whole", async () => {
  const { control, emulator, get } = service;
  const policy = await control("PATCH", "/policy", { late_success: "success" });
  expect([policy.status, policy.body]).toEqual([200, { ...emulator.policy, late_success: "success" }]);
  expect(Object.keys(policy.body)).toHaveLength(11);
  const limits = await control("PATCH", "/limits", { requests: 2 });
  expect([limits.status, limits.body]).toEqual([200, { requests: 2, window_seconds: 60 }]);
  await get(BALANCE);
  await get(BALANCE);
  expect((await get(BALANCE)).status).toBe(429);
  expect((await control("GET", "/state")).status).toBe(200);
});

test("the log and the findings are there, and the control plane's own calls are not among them", async () => {
  const { control, create, read } = service;
  const taskId = await create();
  await read(taskId);
  await read(taskId);
  const { requests } = (await control("GET", "/requests")).body;
  expect(requests.map(({ method, path }: { method: string; path: string }) => `${method} ${path}`)).toEqual([
    `POST ${TASK}`,
    `GET ${TASK}/${taskId}`,
    `GET ${TASK}/${taskId}`,
  ]);
  const { findings } = (await control("GET", "/audit")).body;
  expect(findings).toEqual([
    {
      rule: "polled_too_often",
      at: requests[2].at,
      request_id: requests[2].request_id,
      detail: expect.any(String),
    },
  ]);
});

describe("what is bad changes nothing", () => {
  const outcomes = ["/providers/provider_a/next", "/providers/provider_b/always"];
  const bad: [string, string, unknown][] = [
    ["POST", "/reset", { seed: 1.5 }],
    ["POST", "/reset", { credits: -1 }],
    ["POST", "/reset", { credits: "7" }],
    ["POST", "/reset", { policy: { late_success: "maybe" } }],
    ["POST", "/reset", { policy: "random" }],
    ["POST", "/reset", { limits: { requests: 0 } }],
    ["POST", "/reset", { limits: { windowSeconds: 60 } }],
    ["POST", "/reset", { unknown: 1 }],
    ["POST", "/reset", "[]"],
    ["POST", "/reset", "null"],
    ["POST", "/reset", "{"],
    ["POST", "/clock/advance", { seconds: -1 }],
    ["POST", "/clock/advance", { seconds: "1" }],
    ["POST", "/clock/advance", "{}"],
    ["POST", "/clock/advance", '{"seconds":1e300}'],
    ["POST", "/clock/advance", '{"seconds":9999999999999}'],
    ["POST", "/accounts", { credits: 0.5 }],
    ["POST", "/accounts", { credits: null }],
    ["PATCH", "/accounts/{id}", { suspended: "yes" }],
    ["PATCH", "/accounts/{id}", {}],
    ["PATCH", "/accounts/{id}", { suspended: true, balance: 5 }],
    ["POST", "/accounts/{id}/keys", { name: "mine" }],
    ["PATCH", "/accounts/{id}/keys/{key}", { disabled: 1 }],
    ...outcomes.flatMap((path) =>
      [
        { outcome: "explode" },
        { clips: -1 },
        { clips: 5e-324 },
        { format: "midi" },
        { alternate_urls: "x" },
        { delay: 1 },
      ].map((body): [string, string, unknown] => [path.endsWith("next") ? "POST" : "PUT", path, body]),
    ),
    ["POST", "/faults", {}],
    ["POST", "/faults", { fault: { kind: "disconnect" } }],
    ["POST", "/faults", { times: 0, fault: { kind: "stall" } }],
    ["POST", "/faults", { probability: 2, fault: { kind: "stall" } }],
    ["PATCH", "/policy", { late_success: "success", running_after: "never" }],
    ["PATCH", "/policy", { unknown: true }],
    ["PATCH", "/limits", { requests: 5, window_seconds: 0 }],
    ["PATCH", "/limits", { requests: "5" }],
  ];

  test.each(bad)("%s %s %j", async (method, path, body) => {
    const { control, create, emulator, frozenState } = service;
    await create();
    const { account_id: id, keys } = emulator.accounts.get(emulator.accountId);
    const before = frozenState();
    const place = path.replace("{id}", id).replace("{key}", keys[0]?.key_id ?? "");
    const { status, body: error, headers } = await control(method, place, body);
    expect([status, error]).toEqual([
      400,
      {
        code: 400,
        error_code: body === "{" ? "invalid_json" : "invalid_request_body",
        message: expect.not.stringContaining("Invalid"),
      },
    ]);
    expect(headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(frozenState()).toBe(before);
  });

  test.each([
    ["PATCH", `/accounts/${ACCOUNT}`, { suspended: true }],
    ["POST", `/accounts/${ACCOUNT}/keys`, undefined],
    ["DELETE", `/accounts/{id}/keys/${ACCOUNT}`, undefined],
    ["PATCH", `/accounts/{id}/keys/${ACCOUNT}`, { disabled: true }],
    ["POST", "/providers/provider_c/next", {}],
    ["PUT", "/providers/constructor/always", {}],
    ["GET", "/nothing", undefined],
    ["GET", "", undefined],
    ["GET", "/", undefined],
    ["GET", "/accounts//keys", undefined],
  ])("an id or a path that there is not is a 404: %s %s", async (method, path, body) => {
    const { control, emulator, frozenState } = service;
    const before = frozenState();
    const { status, body: error } = await control(method, path.replace("{id}", emulator.accountId), body);
    expect([status, error]).toEqual([
      404,
      { code: 404, error_code: "not_found", message: expect.any(String) },
    ]);
    expect(frozenState()).toBe(before);
  });

  test("a method that a call does not have is a 405 that names those it has", async () => {
    const { control } = service;
    const { status, body, headers } = await control("DELETE", "/snapshot");
    expect([status, body.error_code, headers.get("Allow")]).toEqual([405, "method_not_allowed", "GET, PUT"]);
    expect(await control("HEAD", "/state")).toMatchObject({ status: 405, body: "" });
  });
});

describe("who may call", () => {
  const call = (headers: Record<string, string>, body: string | null = '{"seconds":1}') =>
    service.send("/_emulator/clock/advance", { method: "POST", headers, body });
  const json = { "Content-Type": "application/json" };

  test.each([
    [{ Origin: "https://evil.example" }],
    [{ Origin: "null" }],
    [{ Origin: "http://localhost:3000" }],
    [{ Host: "evil.example" }],
    [{ Host: "localhost.evil.example:4010" }],
    [{ Host: "evil.example", Origin: "https://evil.example" }],
    [{ Host: "127.0.0.1:4010", Origin: "http://127.0.0.1:4011" }],
  ])("a foreign page is refused: %j", async (headers) => {
    const before = service.frozenState();
    const { status, body } = await call({ ...json, ...headers });
    expect([status, body]).toEqual([
      403,
      { code: 403, error_code: "foreign_origin", message: expect.any(String) },
    ]);
    expect((await service.send("/_emulator/state", { headers })).status).toBe(403);
    expect(service.frozenState()).toBe(before);
  });

  test("the emulator's own origin and names of this machine are welcome", async () => {
    const { url } = service.emulator;
    for (const headers of [
      {},
      { Origin: url },
      { Host: new URL(url).host, Origin: url },
      { Host: "localhost:4010" },
      { Host: "[::1]:1" },
    ]) {
      expect((await call({ ...json, ...headers })).status).toBe(200);
    }
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "",
    "application/jsonx",
  ])("a body that does not say it is JSON is refused: %s", async (type) => {
    const before = service.frozenState();
    const { status, body } = await call({ "Content-Type": type });
    expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
    const keys = `/_emulator/accounts/${service.emulator.accountId}/keys`;
    const sent = await service.send(keys, { method: "POST", headers: { "Content-Type": type }, body: "{}" });
    expect(sent.status).toBe(400);
    expect(service.frozenState()).toBe(before);
  });

  test("no key is needed, a wrong one does not matter, and the caller's request id comes back", async () => {
    const { send } = service;
    const { status, headers } = await send("/_emulator/audit", {
      headers: { "x-api-key": "emu_wrong", "X-Request-Id": "mine" },
    });
    expect([status, headers.get("X-Request-Id"), headers.get("X-Emulator")]).toEqual([
      200,
      "mine",
      "async-music",
    ]);
    expect(headers.has("X-RateLimit-Remaining")).toBe(false);
  });
});

test("looking changes nothing: not even the ids that come next", async () => {
  const { control, create, frozenState } = service;
  await create();
  const before = frozenState();
  for (const path of ["/state", "/requests", "/audit", "/snapshot", "/openapi.json"]) {
    expect((await control("GET", path)).status).toBe(200);
  }
  expect(frozenState()).toBe(before);
});

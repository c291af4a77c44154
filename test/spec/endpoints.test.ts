import { describe, expect, it } from "vitest";
import { type Asking, createService, type EmulatedService, field, type Reply } from "./emulated-service.js";
import { isRecord, misfits } from "./misfits.js";
import { ENDPOINTS, HEADERS, REQUEST_IDS } from "./tables/endpoints.js";
import { ERROR_CODES, type ErrorCode, statusOf } from "./tables/errors.js";
import { BALANCE, ERROR_BODY, RATE_LIMITED_BODY, SUBMISSION, TASK, USAGE } from "./tables/fields.js";
import { SAMPLES } from "./tables/samples.js";

const DATA = { createTask: SUBMISSION, retrieveTask: TASK, balance: BALANCE, usage: USAGE } as const;
const FAILURES = ENDPOINTS.flatMap((endpoint) => endpoint.errors.map((status) => ({ ...endpoint, status })));
const LYRICS = SAMPLES["provider_a lyrics"];
const JSON_BODY = { "Content-Type": "application/json" };
const UNKNOWN_TASK = "/api/v1/task/0b9f6f2e-6f0a-4c3e-9d7c-6a1f4f3d2c1b";

describe("every endpoint of the emulator", () => {
  it.each(ENDPOINTS)("$method $path returns $success with exactly the documented data", async (endpoint) => {
    const service = createService();
    const reply = await call(service, endpoint.name);
    expect(reply.status).toBe(endpoint.success);
    expect(isRecord(reply.body) && Object.keys(reply.body).sort()).toEqual(["code", "data"]);
    expect(field(reply.body, "code")).toBe(endpoint.success);
    expect(misfits(reply.data, DATA[endpoint.name])).toEqual([]);
    expect(reply.headers.get("Content-Type")).toMatch(/^application\/json\b/);
  });

  it.each(FAILURES)("$method $path can return $status with the error body", async ({ name, status }) => {
    const service = createService();
    const reply = await failing(service, name, status);
    expect(reply.status).toBe(status);
    expect(misfits(reply.body, status === 429 ? RATE_LIMITED_BODY : ERROR_BODY)).toEqual([]);
    expect(field(reply.body, "code")).toBe(status);
    const codes = ERROR_CODES.filter((each) => each.status === status).map(({ code }) => code);
    expect(codes).toContain(field(reply.body, "error_code"));
    expect(reply.headers.get(HEADERS.requestId)).toMatch(/^.{1,128}$/);
    expect(reply.headers.get("Content-Type")).toMatch(/^application\/json\b/);
  });

  it.each(ENDPOINTS)("$method $path returns the request's id", async ({ name }) => {
    const reply = await call(createService(), name, { headers: { [HEADERS.requestId]: "order-66" } });
    expect(reply.headers.get(HEADERS.requestId)).toBe("order-66");
  });

  it.each(ENDPOINTS)("$method $path states the rest of the rate limit", async ({ name }) => {
    const service = createService();
    await service.get(UNKNOWN_TASK);
    const reply = await call(service, name);
    const before = name === "retrieveTask" ? 2 : 1;
    expect(reply.headers.get(HEADERS.rateLimitRemaining)).toBe(String(120 - before - 1));
  });
});

it.each(ERROR_CODES)("the emulator returns $code", async ({ code }) => {
  const reply = await PROVOKED[code](createService());
  expect(reply).toMatchObject({ status: statusOf(code), body: { code: statusOf(code), error_code: code } });
});

describe("request IDs", () => {
  it.each(REQUEST_IDS)("the emulator propagates $name: $safe", async ({ value, safe }) => {
    const reply = await createService().get("/api/v1/account/usage", {
      headers: { [HEADERS.requestId]: value },
    });
    const answered = reply.headers.get(HEADERS.requestId);
    expect(answered).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
    expect(answered === value).toBe(safe);
  });

  it("are generated, and different, for requests without one", async () => {
    const service = createService();
    const replies = [await service.get("/api/v1/account/usage"), await service.get("/api/v1/account/usage")];
    expect(new Set(replies.map(({ headers }) => headers.get(HEADERS.requestId))).size).toBe(2);
  });
});

describe("unknown paths and methods", () => {
  const paths =
    "/api /api/v1 /api/v1/ /api/v1/tasks /api/v1/task/ /api/v1/task/a/b /api/v1/Task /api/v2/task";
  const more =
    "/task /favicon.ico /api/v1/account /api/v1/account/balance/ /api/v2/account/balance /account/balance";
  const absent = "/api/v1/account/keys /api/v1/account/invoices /api/v1/account/top-ups";
  it.each([paths, more, absent].flatMap((list) => list.split(" ")))(
    "GET %s is 404 not_found",
    async (path) => {
      const reply = await createService().get(path);
      expect(reply.status).toBe(404);
      expect(reply.body).toEqual({ code: 404, error_code: "not_found", message: expect.any(String) });
      expect(reply.headers.get(HEADERS.requestId)).toMatch(/./);
    },
  );

  it.each([
    ["GET", "/api/v1/task", "POST"],
    ["PUT", "/api/v1/task", "POST"],
    ["DELETE", "/api/v1/task", "POST"],
    ["DELETE", UNKNOWN_TASK, "GET"],
    ["POST", UNKNOWN_TASK, "GET"],
    ["POST", "/api/v1/account/balance", "GET"],
    ["HEAD", "/api/v1/account/balance", "GET"],
    ["PATCH", "/api/v1/account/usage", "GET"],
    ["OPTIONS", "/api/v1/account/usage", "GET"],
    ["PATCH", "/audio/x", "GET, HEAD"],
  ])("%s %s is 405 with Allow: %s", async (method, path, allow) => {
    const reply = await createService().ask(method, path, { key: null });
    expect(reply.status).toBe(405);
    if (method !== "HEAD") expect(reply.body).toMatchObject({ code: 405, error_code: "method_not_allowed" });
    expect(reply.headers.get("Allow")).toBe(allow);
    expect(reply.headers.get(HEADERS.requestId)).not.toBeNull();
  });

  const ids = ["7", "not-a-uuid", "0b9f6f2e6f0a4c3e9d7c6a1f4f3d2c1b", "%00", "%2F", "1".repeat(3000)];
  it.each(ids)("a task ID of %s is not found", async (id) => {
    const reply = await createService().get(`/api/v1/task/${id}`);
    expect(reply).toMatchObject({ status: 404, body: { code: 404, error_code: "task_not_found" } });
  });

  it("the API has no endpoint to top up an account or to cancel a task", async () => {
    for (const path of ["/api/v1/account/top-ups", `${UNKNOWN_TASK}/cancel`])
      expect((await createService().ask("POST", path)).status).toBe(404);
  });
});

type Name = (typeof ENDPOINTS)[number]["name"];
type Call = (service: EmulatedService, asking?: Omit<Asking, "body">) => Promise<Reply>;

/** A request of each endpoint that succeeds. */
const CALLS: Readonly<Record<Name, Call>> = {
  createTask: (service, asking) => service.post(LYRICS, asking),
  async retrieveTask(service, asking) {
    const created = await service.post(LYRICS);
    return service.get(`/api/v1/task/${String(field(created.data, "task_id"))}`, asking);
  },
  balance: (service, asking) => service.get("/api/v1/account/balance", asking),
  usage: (service, asking) => service.get("/api/v1/account/usage", asking),
};

/** A request of each error code. */
const PROVOKED: Readonly<Record<ErrorCode, (service: EmulatedService) => Promise<Reply>>> = {
  invalid_json: (service) => service.ask("POST", "/api/v1/task", { headers: JSON_BODY, body: "{" }),
  invalid_request_body: (service) => service.post([]),
  missing_required_fields: (service) => failing(service, "createTask", 400),
  invalid_model: (service) => service.post({ ...LYRICS, model: "provider_c" }),
  unsupported_task_type: (service) => service.post({ ...LYRICS, model: "provider_b" }),
  invalid_task_input: (service) => service.post({ ...LYRICS, input: {} }),
  invalid_audio_format: (service) => service.post({ ...LYRICS, audio_format: "wav" }),
  async audio_format_unavailable(service) {
    service.emulator.changePolicy({ audio_conversion: "off" });
    return service.post({ ...SAMPLES["provider_a music"], audio_format: "mp3" });
  },
  missing_api_key: (service) => call(service, "balance", { key: null }),
  invalid_api_key: (service) => failing(service, "balance", 401),
  insufficient_credits: (service) => failing(service, "createTask", 402),
  account_suspended: (service) => failing(service, "createTask", 403),
  task_not_found: (service) => failing(service, "retrieveTask", 404),
  rate_limited: (service) => failing(service, "balance", 429),
  internal_error: (service) => failing(service, "balance", 500),
  upstream_provider_error: (service) => failing(service, "createTask", 502),
};

const call = (service: EmulatedService, name: Name, asking?: Parameters<Call>[1]) =>
  CALLS[name](service, asking);

/** Requests an endpoint so that it responds with this status. */
async function failing(service: EmulatedService, name: Name, status: number) {
  const { emulator } = service;
  const path = ENDPOINTS.find((each) => each.name === name)?.path.replace("{taskId}", "*") ?? "";
  if (status === 400) return service.post({});
  if (status === 401) return call(service, name, { key: "emu_unknown" });
  if (status === 402) emulator.reset({ credits: 4 });
  if (status === 403) emulator.accounts.update(emulator.accountId, { suspended: true });
  if (status === 404) return service.get(UNKNOWN_TASK);
  if (status === 429) {
    emulator.changeLimits({ requests: 1 });
    if (name !== "retrieveTask") await service.get("/api/v1/account/usage");
  }
  if (status === 500) emulator.faults.add({ path, fault: { kind: "status", status, when: "before" } });
  if (status === 502) emulator.providers.provider_a.next({ outcome: "reject" });
  return call(service, name);
}

import { expect, test } from "vitest";
import { METHODS } from "../../emulator/control/plane.js";
import { createControlled, VALID } from "./support/service.js";

test("every call returns the status and the body that its description states", async () => {
  const { control, create, read, emulator } = createControlled({ credits: 500 });
  const account = `/accounts/${emulator.accountId}`;
  const seen = new Set<string>();
  const call = async (
    method: string,
    pattern: string,
    body?: unknown,
    params: Record<string, string> = {},
  ) => {
    const described = METHODS.find(({ route }) => route === `${method} ${pattern}`);
    if (described === undefined) throw new Error(`${method} ${pattern} is not described`);
    seen.add(`${method} ${pattern}`);
    const names = { account_id: emulator.accountId, model: "provider_a", ...params };
    const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name) => Reflect.get(names, name));
    const reply = await control(method, path, body);
    const isFile = "mediaType" in described;
    expect([method, path, reply.status]).toEqual([method, path, isFile ? 200 : described.status]);
    if (isFile) expect(reply.headers.get("Content-Type")).toMatch(described.mediaType.replace("*", ""));
    else if (described.response === null) expect(reply.body).toBe("");
    else {
      const parsed = described.response.safeParse(reply.body);
      expect([path, parsed.error?.issues ?? []]).toEqual([path, []]);
      // Every response is described.
      expect(parsed.data).toEqual(reply.body);
    }
    return reply.body;
  };

  const ACCOUNT = "/accounts/{account_id}";
  await call("POST", "/reset", { credits: 500 });
  const { account_id } = await call("POST", "/accounts", { credits: 5 });
  await call("PATCH", ACCOUNT, { suspended: true }, { account_id });
  const { key_id } = await call("POST", `${ACCOUNT}/keys`);
  await call("PATCH", `${ACCOUNT}/keys/{key_id}`, { disabled: true }, { key_id });
  await call("GET", `${ACCOUNT}/keys`);
  await call("DELETE", `${ACCOUNT}/keys/{key_id}`, undefined, { key_id });
  await call("GET", `${ACCOUNT}/billing`);
  await call("PUT", `${ACCOUNT}/billing`, { name: "A", address_line_1: "B", city: "C", country: "D" });
  const { invoice_id } = await call("POST", `${ACCOUNT}/top-ups`, { usd: 10.5, method: "card" });
  const pending = { usd: 1, method: "crypto", outcome: "pending" };
  const { payment_id } = await call("POST", `${ACCOUNT}/top-ups`, pending);
  await call("PATCH", `${ACCOUNT}/top-ups/{payment_id}`, { status: "refused" }, { payment_id });
  await call("GET", `${ACCOUNT}/top-ups`);
  await call("GET", `${ACCOUNT}/auto-top-up`);
  const authorization = await call("POST", `${ACCOUNT}/authorizations`);
  const bounds = { threshold_credits: 5_000, recharge_usd: 10, monthly_cap_usd: 20 };
  await call("PUT", `${ACCOUNT}/auto-top-up`, { enabled: true, ...bounds, ...authorization });
  await control("PATCH", account, { saved_card: "refuses" });
  await call("POST", "/providers/{model}/next", { polls: 9 });
  await call("DELETE", "/providers/{model}/next");
  await call("POST", "/providers/{model}/next", { polls: 1 });
  await call("PUT", "/providers/{model}/always", { process_seconds: 5 });
  const task_id = await create(VALID.song);
  const song = await read(task_id);
  await call("GET", "/tasks/{task_id}", undefined, { task_id });
  await call("GET", "/clips/{clip_id}/audio", undefined, { clip_id: song.output.result[0].id });
  await call("GET", "/clips/{clip_id}/art", undefined, { clip_id: song.output.result[0].id });
  await read(await create(VALID.lyrics));
  await call("GET", `${ACCOUNT}/auto-top-up`);
  await call("GET", `${ACCOUNT}/invoices`);
  await call("GET", `${ACCOUNT}/invoices/{invoice_id}.pdf`, undefined, { invoice_id });
  await call("POST", "/faults", { probability: 0.5, fault: { kind: "latency", ms: 3 } });
  await call("GET", "/faults");
  await call("DELETE", "/faults");
  await call("PATCH", "/policy", { running_after: "first_read" });
  await call("PATCH", "/limits", { window_seconds: 30 });
  const own = { account_id: (await control("GET", "/state")).body.accounts[0].account_id };
  await call("PATCH", "/limits", { ...own, window_seconds: 30 });
  await call("POST", "/providers/{model}/next", { ...own, polls: 9 });
  await call("POST", "/clock/advance", { seconds: 5 });
  await call("GET", "/state");
  await call("GET", "/overview");
  await call("GET", "/tasks/from/{ordinal}", undefined, { ordinal: "1" });
  await call("GET", `${ACCOUNT}/ledger/from/{index}`, undefined, { index: "0" });
  await call("POST", `${ACCOUNT}/requests`, { method: "GET", path: "/api/v1/account/balance" });
  await call("GET", "/requests");
  await call("GET", "/exchanges/{number}", undefined, { number: "1" });
  await call("POST", "/exchanges/har", {});
  await call("GET", "/audit");
  await call("PUT", "/snapshot", await call("GET", "/snapshot"));
  await call("GET", "/openapi.json");
  await call("GET", "/health");

  const notJson = ["GET /requests/stream", "GET /exchanges/stream"];
  expect([...seen, ...notJson].sort()).toEqual(METHODS.map(({ route }) => route).sort());
});

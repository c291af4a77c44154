import { describe, expect, test } from "vitest";
import { createControlled, VALID } from "./support/service.js";

const ACCOUNT = "/accounts/{id}";
const AMOUNTS = { enabled: true, threshold_credits: 50, recharge_usd: 20, monthly_cap_usd: 10 };
const BILLING = { name: "A", address_line_1: "B", city: "C", country: "D" };

describe("a 400 of the control plane lists the fields that are wrong", () => {
  const usd = "must be an amount in US dollars from 0.01 to 1000000, in whole cents";
  test.each([
    ["POST", `${ACCOUNT}/top-ups`, { usd: -5, method: "card" }, { usd }],
    ["POST", `${ACCOUNT}/top-ups`, { usd: 1e12, method: "card" }, { usd }],
    [
      "POST",
      `${ACCOUNT}/top-ups`,
      { usd: 0, method: "cash" },
      { usd, method: "must be one of card, crypto" },
    ],
    [
      "PUT",
      `${ACCOUNT}/auto-top-up`,
      AMOUNTS,
      { monthly_cap_usd: "must be at least the recharge, which is 20" },
    ],
    [
      "PUT",
      `${ACCOUNT}/billing`,
      { ...BILLING, name: "🎻", city: "🎵" },
      {
        name: 'contains "🎻" (U+1F3BB), which cannot be printed on an invoice. Remove or replace it',
        city: 'contains "🎵" (U+1F3B5), which cannot be printed on an invoice. Remove or replace it',
      },
    ],
    [
      "POST",
      "/faults",
      { probability: 0, fault: { kind: "stall" } },
      { probability: "must be above 0: a fault with probability 0 never fires" },
    ],
    [
      "POST",
      "/faults",
      { fault: { kind: "status", status: 1, when: "before" } },
      { "fault.status": "must be a whole number from 200 to 599" },
    ],
    ["PATCH", "/limits", { request: 5 }, { request: "is unknown" }],
    ["PATCH", ACCOUNT, {}, { "": "must have `suspended`, `saved_card` or both" }],
  ])("%s %s %j", async (method, path, body, expected) => {
    const { control, emulator } = createControlled();
    emulator.accounts.topUp(emulator.accountId, { usd: 1, method: "card" });
    const reply = await control(method, path.replace("{id}", emulator.accountId), body);
    const issues = Object.entries(expected).map(([field, message]) => ({ path: field, message }));
    expect([reply.status, reply.body.issues]).toEqual([400, issues]);
  });
});

test("a refusal that is about no field has no issues", async () => {
  const { control, emulator } = createControlled();
  const { status, body } = await control("PATCH", `/accounts/${emulator.accountId}`, {
    saved_card: "refuses",
  });
  expect([status, Object.keys(body)]).toEqual([400, ["code", "error_code", "message"]]);
});

test("a request that the control plane sends has the issues of a refused task", async () => {
  const { control, emulator } = createControlled();
  const send = async (body: unknown, method = "POST") =>
    (
      await control("POST", `/accounts/${emulator.accountId}/requests`, {
        method,
        path: "/api/v1/task",
        body,
      })
    ).body;
  const input = { continue_clip_id: " ", continue_at: -1 };
  expect((await send({ model: "provider_a", task_type: "music", input })).issues).toEqual([
    { path: "input.continue_clip_id", message: "must not be blank" },
    { path: "input.continue_at", message: "must be a number of 0 or more" },
  ]);
  expect((await send(VALID.song)).issues).toEqual([]);
  emulator.faults.add({ fault: { kind: "status", status: 500, when: "before" } });
  expect(await send({})).toMatchObject({ status: 500, issues: [] });
});

test("the service's own errors have no issues", async () => {
  const { status, body } = await createControlled().post({ model: "provider_a" });
  expect([status, Object.keys(body)]).toEqual([400, ["code", "error_code", "message"]]);
});

import { describe, expect, test } from "vitest";
import { failWith } from "../support/faults.js";
import { createControlled, TASK, VALID } from "./support/service.js";

const AMOUNTS = { enabled: true, threshold_credits: 50, recharge_usd: 20, monthly_cap_usd: 10 };
const BILLING = { name: "A", address_line_1: "B", city: "C", country: "D" };
const STALL = { kind: "stall" };
const BELOW_200 = { kind: "status", status: 1, when: "before" };

describe("a 400 of the control plane lists the fields that are wrong", () => {
  const usd = "must be an amount in US dollars from 0.01 to 1000000, in whole cents";
  const method = "must be one of card, crypto";
  const monthly_cap_usd = "must be at least the recharge, which is 20";
  const probability = "must be above 0: a fault with probability 0 never fires";
  const unprintable = (character: string, code: string) =>
    `contains "${character}" (${code}), which cannot be printed on an invoice. Remove or replace it`;

  test.each<[call: string, body: object, issues: object]>([
    ["POST {account}/top-ups", { usd: -5, method: "card" }, { usd }],
    ["POST {account}/top-ups", { usd: 1e12, method: "card" }, { usd }],
    ["POST {account}/top-ups", { usd: 0, method: "cash" }, { usd, method }],
    ["PUT {account}/auto-top-up", AMOUNTS, { monthly_cap_usd }],
    [
      "PUT {account}/billing",
      { ...BILLING, name: "🎻", city: "🎵" },
      { name: unprintable("🎻", "U+1F3BB"), city: unprintable("🎵", "U+1F3B5") },
    ],
    ["POST /faults", { probability: 0, fault: STALL }, { probability }],
    ["POST /faults", { fault: BELOW_200 }, { "fault.status": "must be a whole number from 200 to 599" }],
    ["PATCH /limits", { request: 5 }, { request: "is unknown" }],
    ["PATCH {account}", {}, { "": "must have `suspended`, `saved_card` or both" }],
  ])("%s %j", async (call, body, expected) => {
    const { control, emulator } = createControlled();
    emulator.accounts.topUp(emulator.accountId, { usd: 1, method: "card" });
    const [verb = "", path = ""] = call.replace("{account}", `/accounts/${emulator.accountId}`).split(" ");
    const reply = await control(verb, path, body);
    const issues = Object.entries(expected).map(([field, message]) => ({ path: field, message }));
    expect([reply.status, reply.body.issues]).toEqual([400, issues]);
  });
});

test("a refusal that is about no field has no issues", async () => {
  const { control, emulator } = createControlled();
  const change = { saved_card: "refuses" };
  const { status, body } = await control("PATCH", `/accounts/${emulator.accountId}`, change);
  expect([status, Object.keys(body)]).toEqual([400, ["code", "error_code", "message"]]);
});

test("a request that the control plane sends has the issues of a refused task", async () => {
  const { control, emulator } = createControlled();
  const send = async (body: unknown) => {
    const request = { method: "POST", path: TASK, body };
    return (await control("POST", `/accounts/${emulator.accountId}/requests`, request)).body;
  };
  const input = { continue_clip_id: " ", continue_at: -1 };
  expect((await send({ model: "provider_a", task_type: "music", input })).issues).toEqual([
    { path: "input.continue_clip_id", message: "must not be blank" },
    { path: "input.continue_at", message: "must be a number of 0 or more" },
  ]);
  expect((await send(VALID.song)).issues).toEqual([]);
  emulator.faults.add({ fault: failWith(500) });
  expect(await send({})).toMatchObject({ status: 500, issues: [] });
});

test("the service's own errors have no issues", async () => {
  const { status, body } = await createControlled().post({ model: "provider_a" });
  expect([status, Object.keys(body)]).toEqual([400, ["code", "error_code", "message"]]);
});

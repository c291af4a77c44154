import { beforeEach, describe, expect, test } from "vitest";
import { type ControlledService, createControlled, USAGE, VALID } from "./support/service.js";

const AT = "2026-01-01T00:00:00.000Z";

let service: ControlledService;
let account: string;
beforeEach(() => {
  service = createControlled({ credits: 5 });
  account = `/accounts/${service.emulator.accountId}`;
});

const topUp = (body: object) =>
  service.control("POST", `${account}/top-ups`, { usd: 10, method: "card", ...body });
/** Expects a call to be refused as invalid, and to change nothing. */
async function expectRefused(method: string, path: string, body: object) {
  const before = service.frozenState();
  const { status, body: error } = await service.control(method, path, body);
  expect([status, error.error_code]).toEqual([400, "invalid_request_body"]);
  expect(service.frozenState()).toBe(before);
}
const savedCard = async () => (await service.control("GET", `${account}/auto-top-up`)).body.saved_card;

test.each([
  ["card", expect.stringMatching(/^\d{4}$/)],
  ["crypto", null],
])("a top-up by %s adds one credit per cent at once", async (method, card) => {
  const { balance, get, emulator } = service;
  const { status, body } = await topUp({ usd: 25, method });
  expect(status).toBe(201);
  expect(body).toEqual({
    ...{ payment_id: expect.stringMatching(/^[0-9a-f-]{36}$/), at: AT, usd: 25, credits: 2500, method, card },
    ...{ status: "completed", automatic: false, invoice_id: expect.any(String) },
  });
  expect(await balance()).toEqual({ available: 2505, frozen: 0, total: 2505 });
  expect((await get(USAGE)).body.data.credits_topped_up).toBe(2505);
  const entry = emulator.accounts.get(emulator.accountId).ledger.at(-1);
  expect(entry).toEqual({ at: AT, kind: "top_up", credits: 2500, task_id: null });
});

test("a refused card adds no credits, and is not saved", async () => {
  const { status, body } = await topUp({ outcome: "refused" });
  expect([status, body.status, body.invoice_id]).toEqual([201, "refused", null]);
  expect((await service.balance()).total).toBe(5);
  expect(await savedCard()).toBeNull();
});

test("a payment comes after the refunds that were due before it", async () => {
  const { create, emulator } = service;
  emulator.accounts.topUp(emulator.accountId, { usd: 1, method: "card" });
  const { body } = await topUp({ outcome: "pending" });
  await create(VALID.song, { outcome: "hang" });
  await emulator.clock.advance(7_200_000);
  await topUp({});
  await service.control("PATCH", `${account}/top-ups/${body.payment_id}`, { status: "completed" });
  const { ledger } = emulator.accounts.get(emulator.accountId);
  expect(ledger.slice(-3).map(({ at, kind }) => [at, kind])).toEqual([
    ["2026-01-01T01:00:00.001Z", "refund"],
    ["2026-01-01T02:00:00.000Z", "top_up"],
    ["2026-01-01T02:00:00.000Z", "top_up"],
  ]);
});

describe("a pending crypto top-up", () => {
  let payment: string;
  beforeEach(async () => {
    const { status, body } = await topUp({ method: "crypto", outcome: "pending" });
    expect([status, body.status, body.invoice_id]).toEqual([201, "pending", null]);
    payment = `${account}/top-ups/${body.payment_id}`;
  });

  test("adds its credits once, when it is completed", async () => {
    const { control, balance, emulator, advance } = service;
    expect((await balance()).total).toBe(5);
    await advance(60_000);
    const { status, body } = await control("PATCH", payment, { status: "completed" });
    expect([status, body.status, body.at]).toEqual([200, "completed", AT]);
    expect(body.invoice_id).not.toBeNull();
    expect((await balance()).total).toBe(1005);
    expect(emulator.accounts.get(emulator.accountId).ledger.at(-1)?.at).toBe("2026-01-01T00:01:00.000Z");
    for (const again of ["completed", "refused"]) await expectRefused("PATCH", payment, { status: again });
  });

  test("adds nothing when it is refused, which is final", async () => {
    const { control, balance } = service;
    expect((await control("PATCH", payment, { status: "refused" })).body.status).toBe("refused");
    expect((await control("PATCH", payment, { status: "completed" })).status).toBe(400);
    expect((await balance()).total).toBe(5);
  });

  test.each([[{ status: "pending" }], [{ status: "done" }], [{}], [{ status: "completed", usd: 5 }]])(
    "cannot become %j",
    (body) => expectRefused("PATCH", payment, body),
  );
});

test("the card of the last completed card top-up is the saved card", async () => {
  const { accounts, accountId } = service.emulator;
  const first = (await topUp({})).body.card;
  expect(await savedCard()).toBe(first);
  await topUp({ method: "crypto" });
  await topUp({ outcome: "refused" });
  const pending = (await topUp({ outcome: "pending" })).body;
  expect(await savedCard()).toBe(first);
  const second = (await topUp({})).body.card;
  expect(await savedCard()).toBe(second);
  accounts.updateTopUp(accountId, pending.payment_id, { status: "completed" });
  expect(await savedCard()).toBe(pending.card);
  expect(new Set([first, second, pending.card]).size).toBe(3);
});

test("payments are listed, oldest first, with their status", async () => {
  const { accounts, accountId } = service.emulator;
  const outcomes = ["completed", "refused", "pending"] as const;
  for (const outcome of outcomes) accounts.topUp(accountId, { usd: 10, method: "card", outcome });
  const { payments } = (await service.control("GET", `${account}/top-ups`)).body;
  expect(payments).toMatchObject(outcomes.map((status) => ({ status })));
  expect(payments).toEqual(accounts.payments(accountId));
});

test.each([
  {},
  { usd: 10 },
  ...[0, -10, 10.005, 5e-324, "10", 1_000_001, null].map((usd) => ({ usd, method: "card" })),
  { usd: 10, method: "cash" },
  { usd: 10, method: "card", outcome: "maybe" },
  { usd: 10, method: "card", credits: 5000 },
])("the top-up %j is refused, and changes nothing", async (body) => {
  await expectRefused("POST", `${account}/top-ups`, body);
  const { accounts, accountId } = service.emulator;
  const before = service.frozenState();
  expect(() => accounts.topUp(accountId, body as never)).toThrow(RangeError);
  expect(service.frozenState()).toBe(before);
});

test.each([
  ["POST", "{unknown}/top-ups", { usd: 10, method: "card" }],
  ["GET", "{unknown}/top-ups"],
  ["PATCH", "{account}/top-ups/unknown", { status: "completed" }],
  ["GET", "{unknown}/auto-top-up"],
  ["PUT", "{unknown}/auto-top-up", { enabled: false }],
  ["POST", "{unknown}/authorizations"],
  ["GET", "{unknown}/billing"],
  ["PUT", "{unknown}/billing", { name: "A", address_line_1: "B", city: "C", country: "D" }],
  ["GET", "{unknown}/invoices"],
  ["GET", "{unknown}/invoices/AM-000001.pdf"],
])("an unknown payment or account is a 404: %s %s", async (method, path, body?) => {
  const { control, frozenState } = service;
  const before = frozenState();
  const unknown = "/accounts/00000000-0000-4000-8000-000000000000";
  const filled = path.replace("{unknown}", unknown).replace("{account}", account);
  expect((await control(method, filled, body)).status).toBe(404);
  expect(frozenState()).toBe(before);
});

describe("the most credits that an account can have", () => {
  const most = 1e12;

  test.each([Number.MAX_SAFE_INTEGER, most + 1])("an account cannot begin with %i", (credits) => {
    const message = `\`credits\` must be a whole number from 0 to ${most}; got ${credits}.`;
    expect(() => createControlled({ credits })).toThrow(message);
    expect(() => service.emulator.accounts.create({ credits })).toThrow(message);
  });

  test("a top-up beyond them is a 400, also one that was pending", async () => {
    const { emulator } = service;
    emulator.reset({ credits: most - 1 });
    const { accounts, accountId } = emulator;
    const path = `/accounts/${accountId}/top-ups`;
    const pending = accounts.topUp(accountId, { usd: 0.02, method: "card", outcome: "pending" });
    await expectRefused("POST", path, { usd: 0.02, method: "card" });
    await expectRefused("PATCH", `${path}/${pending.payment_id}`, { status: "completed" });
    accounts.topUp(accountId, { usd: 0.01, method: "card" });
    expect(accounts.get(accountId).balance.available).toBe(most);
    expect(emulator.fork().snapshot()).toEqual(emulator.snapshot());
  });

  test("the automatic top-up does not exceed them", async () => {
    const { emulator, create, read } = service;
    const { accounts, accountId } = emulator;
    accounts.topUp(accountId, { usd: 0.5, method: "card" });
    await read(await create(VALID.song, { polls: 1 }));
    const bounds = { threshold_credits: 1e9, recharge_usd: 10, monthly_cap_usd: 20 };
    accounts.setAutoTopUp(accountId, { enabled: true, ...bounds, ...accounts.authorize(accountId) });
    const snapshot = JSON.parse(JSON.stringify(emulator.snapshot()));
    const [stored] = snapshot.state.accounts;
    const { ledger } = stored;
    // As if the song had cost the largest possible top-up as well.
    const more = most - ledger.toppedUp;
    for (const entry of ledger.entries) if (entry.task_id !== null) entry.credits += more;
    ledger.entries.unshift({ at: AT, kind: "top_up", credits: more, task_id: null });
    Object.assign(ledger, { toppedUp: most, settled: ledger.settled + more });
    snapshot.state.tasks[0].credits += more;
    stored.creditsUsed += more;
    emulator.restore(snapshot);
    await create();
    expect(accounts.payments(accountId)).toHaveLength(1);
    expect(accounts.get(accountId).usage.credits_topped_up).toBe(most);
  });
});

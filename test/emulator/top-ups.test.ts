import { beforeEach, describe, expect, test } from "vitest";
import { type ControlledService, createControlled, USAGE, VALID } from "./support/service.js";

let service: ControlledService;
let account: string;
beforeEach(() => {
  service = createControlled({ credits: 5 });
  account = `/accounts/${service.emulator.accountId}`;
});

const topUp = (body: object) =>
  service.control("POST", `${account}/top-ups`, { usd: 10, method: "card", ...body });

test.each(["card", "crypto"])(
  "a top-up by %s is completed at once: one credit for each cent",
  async (method) => {
    const { balance, get, emulator } = service;
    const { status, body } = await topUp({ usd: 25, method });
    expect([status, body]).toEqual([
      201,
      {
        payment_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        at: "2026-01-01T00:00:00.000Z",
        usd: 25,
        credits: 2500,
        method,
        status: "completed",
        automatic: false,
        card: method === "card" ? expect.stringMatching(/^\d{4}$/) : null,
        invoice_id: expect.any(String),
      },
    ]);
    expect(await balance()).toEqual({ available: 2505, frozen: 0, total: 2505 });
    expect((await get(USAGE)).body.data.credits_topped_up).toBe(2505);
    expect(emulator.accounts.get(emulator.accountId).ledger.at(-1)).toEqual({
      at: "2026-01-01T00:00:00.000Z",
      kind: "top_up",
      credits: 2500,
      task_id: null,
    });
  },
);

test("cents are credits, also where binary fractions are not exact", async () => {
  for (const [usd, credits] of [
    [0.01, 1],
    [19.99, 1999],
    [1.1, 110],
    [1_000_000, 100_000_000],
  ]) {
    expect((await topUp({ usd, method: "crypto" })).body).toMatchObject({ usd, credits });
  }
});

test("a card that is refused brings nothing, and is not saved", async () => {
  const { control, balance } = service;
  const { status, body } = await topUp({ outcome: "refused" });
  expect([status, body.status, body.invoice_id]).toEqual([201, "refused", null]);
  expect((await balance()).total).toBe(5);
  expect((await control("GET", `${account}/auto-top-up`)).body.saved_card).toBeNull();
});

describe("a transfer that is unconfirmed", () => {
  let payment: string;
  beforeEach(async () => {
    const pending = await topUp({ method: "crypto", outcome: "pending" });
    expect([pending.status, pending.body.status, pending.body.invoice_id]).toEqual([201, "pending", null]);
    payment = `${account}/top-ups/${pending.body.payment_id}`;
  });

  test("brings its credits when it is completed, once", async () => {
    const { control, balance, emulator, frozenState } = service;
    expect((await balance()).total).toBe(5);
    await emulator.clock.advance(60_000);
    const { status, body } = await control("PATCH", payment, { status: "completed" });
    expect([status, body.status, body.at]).toEqual([200, "completed", "2026-01-01T00:00:00.000Z"]);
    expect(body.invoice_id).not.toBeNull();
    expect((await balance()).total).toBe(1005);
    expect(emulator.accounts.get(emulator.accountId).ledger.at(-1)?.at).toBe("2026-01-01T00:01:00.000Z");
    const before = frozenState();
    for (const again of ["completed", "refused"]) {
      expect((await control("PATCH", payment, { status: again })).status).toBe(400);
    }
    expect(frozenState()).toBe(before);
  });

  test("brings nothing when it is refused, and that is the end of it", async () => {
    const { control, balance } = service;
    expect((await control("PATCH", payment, { status: "refused" })).body.status).toBe("refused");
    expect((await control("PATCH", payment, { status: "completed" })).status).toBe(400);
    expect((await balance()).total).toBe(5);
  });

  test.each([[{ status: "pending" }], [{ status: "done" }], [{}], [{ status: "completed", usd: 5 }]])(
    "can't become %j",
    async (body) => {
      const before = service.frozenState();
      expect((await service.control("PATCH", payment, body)).status).toBe(400);
      expect(service.frozenState()).toBe(before);
    },
  );
});

test("the card of the last completed card top-up is the saved card", async () => {
  const { control, emulator } = service;
  const savedCard = async () => (await control("GET", `${account}/auto-top-up`)).body.saved_card;
  const first = (await topUp({})).body.card;
  expect(await savedCard()).toBe(first);
  await topUp({ method: "crypto" });
  await topUp({ outcome: "refused" });
  const pending = (await topUp({ outcome: "pending" })).body;
  expect(await savedCard()).toBe(first);
  const second = (await topUp({})).body.card;
  expect(await savedCard()).toBe(second);
  emulator.accounts.updateTopUp(emulator.accountId, pending.payment_id, { status: "completed" });
  expect(await savedCard()).toBe(pending.card);
  expect(new Set([first, second, pending.card]).size).toBe(3);
});

test("payments are listed, oldest first, with their records", async () => {
  const { control, emulator } = service;
  for (const outcome of ["completed", "refused", "pending"] as const) {
    emulator.accounts.topUp(emulator.accountId, { usd: 10, method: "card", outcome });
  }
  const { body } = await control("GET", `${account}/top-ups`);
  expect(body.payments.map(({ status }: { status: string }) => status)).toEqual([
    "completed",
    "refused",
    "pending",
  ]);
  expect(body.payments).toEqual(emulator.accounts.payments(emulator.accountId));
});

test.each([
  [{}],
  [{ usd: 0, method: "card" }],
  [{ usd: -10, method: "card" }],
  [{ usd: 10.005, method: "card" }],
  [{ usd: 5e-324, method: "card" }],
  [{ usd: "10", method: "card" }],
  [{ usd: 1_000_001, method: "card" }],
  [{ usd: null, method: "card" }],
  [{ usd: 10 }],
  [{ usd: 10, method: "cash" }],
  [{ usd: 10, method: "card", outcome: "maybe" }],
  [{ usd: 10, method: "card", credits: 5000 }],
])("no top-up: %j changes nothing", async (body) => {
  const { control, frozenState, emulator } = service;
  const before = frozenState();
  const { status, body: error } = await control("POST", `${account}/top-ups`, body);
  expect([status, error.error_code]).toEqual([400, "invalid_request_body"]);
  expect(() => emulator.accounts.topUp(emulator.accountId, body as never)).toThrow(RangeError);
  expect(frozenState()).toBe(before);
});

test("a payment or an account that there is not is a 404", async () => {
  const { control, frozenState } = service;
  const before = frozenState();
  const nobody = "/accounts/00000000-0000-4000-8000-000000000000";
  for (const [method, path, body] of [
    ["POST", `${nobody}/top-ups`, { usd: 10, method: "card" }],
    ["GET", `${nobody}/top-ups`],
    ["PATCH", `${account}/top-ups/unknown`, { status: "completed" }],
    ["GET", `${nobody}/auto-top-up`],
    ["PUT", `${nobody}/auto-top-up`, { enabled: false }],
    ["POST", `${nobody}/authorizations`],
    ["GET", `${nobody}/billing`],
    ["PUT", `${nobody}/billing`, { name: "A", address_line_1: "B", city: "C", country: "D" }],
    ["GET", `${nobody}/invoices`],
    ["GET", `${nobody}/invoices/AM-000001.pdf`],
  ] as const) {
    expect([path, (await control(method, path, body)).status]).toEqual([path, 404]);
  }
  expect(frozenState()).toBe(before);
});

describe("credits beyond counting", () => {
  const most = 1e12;

  test.each([Number.MAX_SAFE_INTEGER, most + 1])("an account can't begin with %i", (credits) => {
    const message = `\`credits\` must be a whole number from 0 to ${most}; got ${credits}.`;
    expect(() => createControlled({ credits })).toThrow(message);
    expect(() => service.emulator.accounts.create({ credits })).toThrow(message);
  });

  test("a top-up past what an account can be given is a 400, also one that was pending", async () => {
    const { emulator, control } = service;
    emulator.reset({ credits: most - 1 });
    const { accounts, accountId } = emulator;
    const path = `/accounts/${accountId}/top-ups`;
    const pending = accounts.topUp(accountId, { usd: 0.02, method: "card", outcome: "pending" });
    for (const [method, place, body] of [
      ["POST", path, { usd: 0.02, method: "card" }],
      ["PATCH", `${path}/${pending.payment_id}`, { status: "completed" }],
    ] as const) {
      const before = emulator.snapshot();
      expect((await control(method, place, body)).status).toBe(400);
      expect(emulator.snapshot()).toEqual(before);
    }
    accounts.topUp(accountId, { usd: 0.01, method: "card" });
    expect(accounts.get(accountId).balance.available).toBe(most);
    expect(emulator.fork().snapshot()).toEqual(emulator.snapshot());
  });

  test("the automatic top-up leaves it, too", async () => {
    const { emulator, create, read } = service;
    const { accounts, accountId } = emulator;
    accounts.topUp(accountId, { usd: 0.5, method: "card" });
    await read(await create(VALID.song, { polls: 1 }));
    const bounds = { threshold_credits: 1e9, recharge_usd: 10, monthly_cap_usd: 20 };
    accounts.setAutoTopUp(accountId, { enabled: true, ...bounds, ...accounts.authorize(accountId) });
    const snapshot = JSON.parse(JSON.stringify(emulator.snapshot()));
    const {
      accounts: [account],
      tasks,
    } = snapshot.state;
    // As if the song had cost as much as could be bought besides.
    const more = most - account.ledger.toppedUp;
    for (const entry of account.ledger.entries) if (entry.task_id !== null) entry.credits += more;
    account.ledger.entries.unshift({
      at: "2026-01-01T00:00:00.000Z",
      kind: "top_up",
      credits: more,
      task_id: null,
    });
    tasks[0].credits += more;
    account.creditsUsed += more;
    Object.assign(account.ledger, { toppedUp: most, settled: account.ledger.settled + more });
    emulator.restore(snapshot);
    await create();
    expect(accounts.payments(accountId)).toHaveLength(1);
    expect(accounts.get(accountId).usage.credits_topped_up).toBe(most);
  });
});

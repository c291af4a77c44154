import type { EmulatorOptions } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { createControlled, USAGE, VALID } from "./support/service.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SETTINGS = { enabled: true, threshold_credits: 50, recharge_usd: 10, monthly_cap_usd: 20 };

/** An account with a saved card: 60 credits of a top-up, and its initial credits. */
function createBuyer({ credits = 0, ...options }: EmulatorOptions = {}) {
  const service = createControlled({ credits, ...options });
  const { accounts, accountId: id } = service.emulator;
  accounts.topUp(id, { usd: 0.6, method: "card" });
  return {
    ...service,
    ...{ id, accounts, account: `/accounts/${id}` },
    put: (body: object) => service.control("PUT", `/accounts/${id}/auto-top-up`, body),
    authorize: () => accounts.authorize(id).authorization,
    enable: (settings: Partial<typeof SETTINGS> = {}) =>
      accounts.setAutoTopUp(id, { ...SETTINGS, ...settings, ...accounts.authorize(id) }),
    setCard: (saved_card: "accepts" | "refuses") => accounts.update(id, { saved_card }),
    charges: () => accounts.payments(id).filter(({ automatic }) => automatic),
    view: () => accounts.autoTopUp(id),
    /** Creates an upload, and returns how many charges there were by then. */
    async upload() {
      await service.create(VALID.upload);
      return this.charges().length;
    },
    async spendTo(left: number) {
      while ((await service.balance()).available > left) await service.create(VALID.song);
    },
  };
}

/** A buyer whose threshold is so high that every task leads to a charge. */
function createEager(settings: Partial<typeof SETTINGS> = {}, options: EmulatorOptions = {}) {
  const buyer = createBuyer(options);
  buyer.enable({ threshold_credits: 100_000, ...settings });
  return buyer;
}

test("the automatic top-up is off by default, and charges nothing", async () => {
  const buyer = createBuyer();
  const { status, body } = await buyer.control("GET", `${buyer.account}/auto-top-up`);
  const amounts = { threshold_credits: null, recharge_usd: null, monthly_cap_usd: null };
  const saved_card = expect.stringMatching(/^\d{4}$/);
  const charges = { charged_this_month_usd: 0, paused_until: null, last_refused_charge: null };
  const off = { enabled: false, ...amounts, ...charges, saved_card, saved_card_refuses: false };
  expect([status, body]).toEqual([200, off]);
  await buyer.spendTo(0);
  expect((await buyer.post(VALID.song)).status).toBe(402);
  expect(buyer.charges()).toEqual([]);
});

test("it charges as soon as a freeze leaves fewer credits than the threshold, and not before", async () => {
  const buyer = createBuyer();
  buyer.enable();
  await buyer.create(VALID.song);
  expect(await buyer.balance()).toEqual({ available: 50, frozen: 10, total: 60 });
  expect(buyer.charges()).toEqual([]);
  const taskId = await buyer.create(VALID.upload);
  expect(await buyer.balance()).toEqual({ available: 1049, frozen: 11, total: 1060 });
  const [charge] = buyer.charges();
  const amounts = { usd: 10, credits: 1000, method: "card", card: buyer.view().saved_card };
  expect(charge).toMatchObject({ ...amounts, status: "completed", automatic: true });
  expect(charge?.invoice_id).not.toBeNull();
  expect(buyer.accounts.get(buyer.id).ledger.slice(-2)).toMatchObject([
    { kind: "freeze", credits: 1, task_id: taskId },
    { kind: "top_up", credits: 1000, task_id: null },
  ]);
  expect((await buyer.get(USAGE)).body.data.credits_topped_up).toBe(1060);
});

test("a task that costs more than the available credits is refused without a charge", async () => {
  const buyer = createBuyer();
  await buyer.spendTo(5);
  buyer.enable();
  expect((await buyer.post(VALID.song)).status).toBe(402);
  expect(buyer.charges()).toEqual([]);
});

test("it charges up to the monthly cap, without manual top-ups, and again in the next month", async () => {
  const buyer = createEager({ monthly_cap_usd: 25 });
  buyer.accounts.topUp(buyer.id, { usd: 500, method: "card" });
  for (const charges of [1, 2, 2, 2]) expect(await buyer.upload()).toBe(charges);
  expect(buyer.view().charged_this_month_usd).toBe(20);
  // Time begins with January, which has 31 days.
  await buyer.advance(31 * DAY_MS - 1);
  expect(await buyer.upload()).toBe(2);
  await buyer.advance(1);
  expect(await buyer.upload()).toBe(3);
  expect(buyer.charges()[2]?.at).toBe("2026-02-01T00:00:00.000Z");
});

test("charges in the same month of an earlier year do not count towards the cap", async () => {
  const buyer = createEager({ monthly_cap_usd: 10 });
  await buyer.upload();
  await buyer.advance(365 * DAY_MS);
  expect(buyer.view().charged_this_month_usd).toBe(0);
  await buyer.upload();
  expect(buyer.charges().map(({ at }) => at.slice(0, 7))).toEqual(["2026-01", "2027-01"]);
});

test("policy auto_top_up_month: a month can be the last 30 days", async () => {
  const buyer = createEager({ monthly_cap_usd: 10 }, { policy: { auto_top_up_month: "rolling_30_days" } });
  await buyer.advance(20 * DAY_MS);
  await buyer.upload();
  await buyer.advance(30 * DAY_MS - 1);
  expect(await buyer.upload()).toBe(1);
  await buyer.advance(1);
  expect(await buyer.upload()).toBe(2);
});

describe("a refused charge", () => {
  test("adds no credits, and pauses the automatic top-up for exactly an hour", async () => {
    const buyer = createEager();
    expect((await buyer.control("PATCH", buyer.account, { saved_card: "refuses" })).status).toBe(200);
    await buyer.upload();
    expect(buyer.charges()).toMatchObject([{ status: "refused", invoice_id: null }]);
    expect((await buyer.balance()).total).toBe(60);
    expect(buyer.view().paused_until).toBe("2026-01-01T01:00:00.000Z");

    buyer.setCard("accepts");
    await buyer.advance(HOUR_MS - 1);
    expect(await buyer.upload()).toBe(1);
    await buyer.advance(1);
    expect(buyer.view().paused_until).toBeNull();
    await buyer.upload();
    expect(buyer.charges()).toMatchObject([{ status: "refused" }, { status: "completed" }]);
  });

  test("is named with its amount, its card and its time, also after the pause", async () => {
    const buyer = createEager();
    const { saved_card: card } = buyer.view();
    await buyer.advance(HOUR_MS);
    buyer.setCard("refuses");
    expect(buyer.view()).toMatchObject({ saved_card_refuses: true, last_refused_charge: null });
    await buyer.upload();
    const [charge] = buyer.charges();
    const refused = { payment_id: charge?.payment_id, at: "2026-01-01T01:00:00.000Z", usd: 10, card };
    expect(buyer.view().last_refused_charge).toEqual({ ...refused, automatic: true });
    buyer.setCard("accepts");
    await buyer.advance(HOUR_MS);
    expect(buyer.view()).toMatchObject({ saved_card_refuses: false, last_refused_charge: refused });
  });

  test("is the one refused last, though a later one was refused before it", async () => {
    const buyer = createBuyer();
    const order = { usd: 3, method: "card" } as const;
    const { payment_id } = buyer.accounts.topUp(buyer.id, { ...order, outcome: "pending" });
    buyer.accounts.topUp(buyer.id, { ...order, outcome: "refused" });
    buyer.accounts.topUp(buyer.id, { ...order, method: "crypto", outcome: "refused" });
    await buyer.advance(HOUR_MS);
    buyer.accounts.updateTopUp(buyer.id, payment_id, { status: "refused" });
    const at = "2026-01-01T01:00:00.000Z";
    expect(buyer.view().last_refused_charge).toMatchObject({ payment_id, at, usd: 3, automatic: false });
  });
});

describe("its authorization", () => {
  test("must be unused and the account's own", async () => {
    const buyer = createBuyer();
    const { status, body } = await buyer.control("POST", `${buyer.account}/authorizations`);
    expect([status, Object.keys(body)]).toEqual([201, ["authorization"]]);
    const { authorization } = body;
    const others = buyer.accounts.authorize(buyer.accounts.create().account_id);
    const before = buyer.frozenState();
    for (const wrong of [{}, { authorization: "made up" }, { authorization: null }, others])
      expect((await buyer.put({ ...SETTINGS, ...wrong })).status).toBe(400);
    expect(buyer.frozenState()).toBe(before);
    expect(await buyer.put({ ...SETTINGS, authorization })).toMatchObject({ status: 200, body: SETTINGS });
    expect((await buyer.put({ ...SETTINGS, authorization })).status).toBe(400);
  });

  const CHANGES = [{ threshold_credits: 60 }, { recharge_usd: 20 }, { monthly_cap_usd: 30 }];

  test.each(CHANGES)("is required for the change %j", async (change) => {
    const buyer = createBuyer();
    buyer.enable();
    const settings = { ...SETTINGS, ...change };
    for (const enabled of [true, false]) expect((await buyer.put({ ...settings, enabled })).status).toBe(400);
    const changed = await buyer.put({ ...settings, authorization: buyer.authorize() });
    expect(changed).toMatchObject({ status: 200, body: settings });
  });

  test("is not used up by a change that is refused", async () => {
    const buyer = createBuyer();
    const authorization = buyer.authorize();
    for (const invalid of [{ threshold_credits: 49 }, { recharge_usd: 30 }])
      expect((await buyer.put({ ...SETTINGS, ...invalid, authorization })).status).toBe(400);
    expect((await buyer.put({ ...SETTINGS, authorization })).status).toBe(200);
  });

  test("is not required where nothing changes, but used up where it is given", async () => {
    const buyer = createBuyer();
    buyer.enable();
    for (const same of [SETTINGS, { enabled: true }, { ...SETTINGS, authorization: null }])
      expect(await buyer.put(same)).toMatchObject({ status: 200, body: SETTINGS });
    const authorization = buyer.authorize();
    expect((await buyer.put({ ...SETTINGS, authorization })).status).toBe(200);
    expect((await buyer.put({ ...SETTINGS, recharge_usd: 20, authorization })).status).toBe(400);
  });

  test("is not required to disable the automatic top-up, but to enable it again", async () => {
    const buyer = createEager();
    const off = await buyer.put({ enabled: false });
    expect(off).toMatchObject({ status: 200, body: { enabled: false, recharge_usd: 10 } });
    expect(await buyer.upload()).toBe(0);
    expect((await buyer.put({ enabled: true })).status).toBe(400);
    expect((await buyer.put({ enabled: true, authorization: buyer.authorize() })).status).toBe(200);
    expect(await buyer.upload()).toBe(1);
  });
});

test("it cannot be enabled without a saved card, which a crypto top-up does not save", async () => {
  const { emulator, control } = createControlled();
  const { accounts, accountId: id } = emulator;
  accounts.topUp(id, { usd: 10, method: "crypto" });
  const settings = { ...SETTINGS, ...accounts.authorize(id) };
  const { status, body } = await control("PUT", `/accounts/${id}/auto-top-up`, settings);
  expect([status, body.message]).toEqual([400, expect.stringContaining("saved card")]);
  expect((await control("PATCH", `/accounts/${id}`, { saved_card: "refuses" })).status).toBe(400);
});

describe("its settings", () => {
  test.each([
    { threshold_credits: 50 },
    { threshold_credits: 1_000_000 },
    { recharge_usd: 10, monthly_cap_usd: 10 },
    { recharge_usd: 1000, monthly_cap_usd: 1000 },
    { monthly_cap_usd: 10_000 },
  ])("accept %j", async (change) => {
    const buyer = createBuyer();
    const changed = await buyer.put({ ...SETTINGS, ...change, authorization: buyer.authorize() });
    expect(changed).toMatchObject({ status: 200, body: change });
  });

  /** Enables the automatic top-up with settings that break a rule. */
  async function expectRefused(buyer: ReturnType<typeof createBuyer>, settings: object) {
    const authorization = buyer.authorize();
    const before = buyer.frozenState();
    const { status, body } = await buyer.put({ enabled: true, ...settings, authorization });
    expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
    expect(buyer.frozenState()).toBe(before);
  }

  test.each([
    ...[49, 50.5, "50", null].map((threshold_credits) => ({ threshold_credits })),
    ...[9, 15.5, 10_001].map((monthly_cap_usd) => ({ monthly_cap_usd })),
    { recharge_usd: 9 },
    { recharge_usd: 10.5, monthly_cap_usd: 20 },
    { recharge_usd: 1001, monthly_cap_usd: 10_000 },
    { recharge_usd: 21, monthly_cap_usd: 20 },
    { enabled: "yes" },
    { enabled: undefined },
    { currency: "EUR" },
  ])("refuse %j, and change nothing", async (change) => {
    await expectRefused(createBuyer(), { ...SETTINGS, ...change });
  });

  test.each([{ recharge_usd: 21 }, { recharge_usd: 1000 }, { monthly_cap_usd: 11 }])(
    "are compared with the saved ones: %j alone",
    async (change) => {
      const buyer = createBuyer();
      buyer.enable({ recharge_usd: 12, monthly_cap_usd: 20 });
      await expectRefused(buyer, change);
    },
  );
});

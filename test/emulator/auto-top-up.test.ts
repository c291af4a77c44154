import type { EmulatorOptions } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { createControlled, USAGE, VALID } from "./support/service.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SETTINGS = { enabled: true, threshold_credits: 50, recharge_usd: 10, monthly_cap_usd: 20 };

/** An account with a saved card: 60 credits of a top-up, and those that it begins with. */
function createBuyer({ credits = 0, ...options }: EmulatorOptions = {}) {
  const service = createControlled({ credits, ...options });
  const { clock, accounts, accountId: id } = service.emulator;
  accounts.topUp(id, { usd: 0.6, method: "card" });
  return {
    ...service,
    ...{ id, accounts, account: `/accounts/${id}`, advance: clock.advance },
    put: (body: object) => service.control("PUT", `/accounts/${id}/auto-top-up`, body),
    authorize: () => accounts.authorize(id).authorization,
    enable: (settings: Partial<typeof SETTINGS> = {}) =>
      accounts.setAutoTopUp(id, { ...SETTINGS, ...settings, ...accounts.authorize(id) }),
    charges: () => accounts.payments(id).filter(({ automatic }) => automatic),
    view: () => accounts.autoTopUp(id),
    upload: () => service.create(VALID.upload),
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

test("it is off by default, and charges nothing", async () => {
  const buyer = createBuyer();
  const { status, body } = await buyer.control("GET", `${buyer.account}/auto-top-up`);
  expect([status, body]).toEqual([
    200,
    {
      enabled: false,
      threshold_credits: null,
      recharge_usd: null,
      monthly_cap_usd: null,
      saved_card: expect.stringMatching(/^\d{4}$/),
      charged_this_month_usd: 0,
      paused_until: null,
    },
  ]);
  await buyer.spendTo(0);
  expect((await buyer.post(VALID.song)).status).toBe(402);
  expect(buyer.charges()).toEqual([]);
});

test("it charges as soon as a freeze leaves less than the threshold, and not before", async () => {
  const buyer = createBuyer();
  buyer.enable();
  await buyer.create(VALID.song);
  expect(await buyer.balance()).toEqual({ available: 50, frozen: 10, total: 60 });
  expect(buyer.charges()).toEqual([]);
  const taskId = await buyer.upload();
  expect(await buyer.balance()).toEqual({ available: 1049, frozen: 11, total: 1060 });
  const [charge] = buyer.charges();
  expect(charge).toMatchObject({
    usd: 10,
    credits: 1000,
    method: "card",
    status: "completed",
    automatic: true,
  });
  expect(charge?.card).toBe(buyer.view().saved_card);
  expect(charge?.invoice_id).not.toBeNull();
  expect(buyer.accounts.get(buyer.id).ledger.slice(-2)).toMatchObject([
    { kind: "freeze", credits: 1, task_id: taskId },
    { kind: "top_up", credits: 1000, task_id: null },
  ]);
  expect((await buyer.get(USAGE)).body.data.credits_topped_up).toBe(1060);
});

test("what can't be afforded is refused, and charges nothing: nothing was frozen", async () => {
  const buyer = createBuyer();
  await buyer.spendTo(5);
  buyer.enable();
  expect((await buyer.post(VALID.song)).status).toBe(402);
  expect(buyer.charges()).toEqual([]);
});

test("it charges until the month's cap, to which top-ups by hand do not count, and again in the next month", async () => {
  const buyer = createEager({ monthly_cap_usd: 25 });
  buyer.accounts.topUp(buyer.id, { usd: 500, method: "card" });
  for (let count = 0; count < 5; count++) await buyer.upload();
  expect(buyer.charges()).toHaveLength(2);
  expect(buyer.view().charged_this_month_usd).toBe(20);
  // Time begins with January, which has 31 days.
  await buyer.advance(31 * DAY_MS - 1);
  await buyer.upload();
  expect(buyer.charges()).toHaveLength(2);
  await buyer.advance(1);
  await buyer.upload();
  expect(buyer.charges()).toHaveLength(3);
  expect(buyer.charges()[2]?.at).toBe("2026-02-01T00:00:00.000Z");
});

test("the same month of an earlier year does not count towards the cap", async () => {
  const buyer = createEager({ monthly_cap_usd: 10 });
  await buyer.upload();
  await buyer.advance(365 * DAY_MS);
  expect(buyer.view().charged_this_month_usd).toBe(0);
  await buyer.upload();
  expect(buyer.charges().map(({ at }) => at.slice(0, 7))).toEqual(["2026-01", "2027-01"]);
});

test("a month can also be the last 30 days", async () => {
  const buyer = createEager({ monthly_cap_usd: 10 }, { policy: { auto_top_up_month: "rolling_30_days" } });
  await buyer.advance(20 * DAY_MS);
  await buyer.upload();
  await buyer.advance(30 * DAY_MS - 1);
  await buyer.upload();
  expect(buyer.charges()).toHaveLength(1);
  await buyer.advance(1);
  await buyer.upload();
  expect(buyer.charges()).toHaveLength(2);
});

describe("a refused charge", () => {
  test("brings nothing, and pauses for exactly an hour", async () => {
    const buyer = createEager();
    const refusing = await buyer.control("PATCH", buyer.account, { saved_card: "refuses" });
    expect(refusing.status).toBe(200);
    await buyer.upload();
    expect(buyer.charges()).toMatchObject([{ status: "refused", invoice_id: null }]);
    expect((await buyer.balance()).total).toBe(60);
    expect(buyer.view().paused_until).toBe("2026-01-01T01:00:00.000Z");

    buyer.accounts.update(buyer.id, { saved_card: "accepts" });
    await buyer.advance(HOUR_MS - 1);
    await buyer.upload();
    expect(buyer.charges()).toHaveLength(1);
    await buyer.advance(1);
    expect(buyer.view().paused_until).toBeNull();
    await buyer.upload();
    expect(buyer.charges()).toMatchObject([{ status: "refused" }, { status: "completed" }]);
  });

  test("still pauses it after its amounts were changed, and after it was switched off and on", async () => {
    const buyer = createEager();
    buyer.accounts.update(buyer.id, { saved_card: "refuses" });
    await buyer.upload();
    buyer.accounts.setAutoTopUp(buyer.id, { enabled: false });
    const { paused_until } = buyer.enable({ threshold_credits: 90_000 });
    expect(paused_until).toBe("2026-01-01T01:00:00.000Z");
    await buyer.upload();
    expect(buyer.charges()).toHaveLength(1);
  });

  test("does not count towards the cap, and another card is charged again", async () => {
    const buyer = createEager({ monthly_cap_usd: 10 });
    buyer.accounts.update(buyer.id, { saved_card: "refuses" });
    await buyer.upload();
    await buyer.advance(HOUR_MS);
    buyer.accounts.topUp(buyer.id, { usd: 1, method: "card" });
    await buyer.upload();
    expect(buyer.charges().map(({ status }) => status)).toEqual(["refused", "completed"]);
  });

  test("of a card top-up by hand pauses it too, and of a transfer does not", async () => {
    for (const [method, charges] of [
      ["crypto", 1],
      ["card", 0],
    ] as const) {
      const buyer = createEager();
      buyer.accounts.topUp(buyer.id, { usd: 10, method, outcome: "refused" });
      await buyer.upload();
      expect(buyer.charges()).toHaveLength(charges);
    }
  });
});

describe("its authorization", () => {
  test("is fresh, the account's own, and good once", async () => {
    const buyer = createBuyer();
    const { status, body } = await buyer.control("POST", `${buyer.account}/authorizations`);
    expect([status, Object.keys(body)]).toEqual([201, ["authorization"]]);
    const { authorization } = body;
    const foreign = buyer.accounts.create().account_id;
    const others = buyer.accounts.authorize(foreign);
    const before = buyer.frozenState();
    for (const wrong of [{}, { authorization: "made up" }, { authorization: null }, others]) {
      expect((await buyer.put({ ...SETTINGS, ...wrong })).status).toBe(400);
    }
    expect(buyer.frozenState()).toBe(before);
    const enabled = await buyer.put({ ...SETTINGS, authorization });
    expect([enabled.status, enabled.body]).toMatchObject([200, SETTINGS]);
    expect((await buyer.put({ ...SETTINGS, authorization })).status).toBe(400);
  });

  test.each([[{ threshold_credits: 60 }], [{ recharge_usd: 20 }], [{ monthly_cap_usd: 30 }]])(
    "is needed anew for a change of %j",
    async (change) => {
      const buyer = createBuyer();
      buyer.enable();
      for (const enabled of [true, false]) {
        expect((await buyer.put({ ...SETTINGS, ...change, enabled })).status).toBe(400);
      }
      const { status, body } = await buyer.put({ ...SETTINGS, ...change, authorization: buyer.authorize() });
      expect([status, body]).toMatchObject([200, { ...SETTINGS, ...change }]);
    },
  );

  test("is not used up by a change that is refused", async () => {
    const buyer = createBuyer();
    const authorization = buyer.authorize();
    expect((await buyer.put({ ...SETTINGS, threshold_credits: 49, authorization })).status).toBe(400);
    expect((await buyer.put({ ...SETTINGS, recharge_usd: 30, authorization })).status).toBe(400);
    expect((await buyer.put({ ...SETTINGS, authorization })).status).toBe(200);
  });

  test("is not needed where nothing changes, and used up where it is given", async () => {
    const buyer = createBuyer();
    buyer.enable();
    for (const same of [SETTINGS, { enabled: true }, { ...SETTINGS, authorization: null }]) {
      const { status, body } = await buyer.put(same);
      expect([status, body]).toMatchObject([200, SETTINGS]);
    }
    const authorization = buyer.authorize();
    expect((await buyer.put({ ...SETTINGS, authorization })).status).toBe(200);
    expect((await buyer.put({ ...SETTINGS, recharge_usd: 20, authorization })).status).toBe(400);
  });

  test("is not needed for switching off, and needed for switching on again", async () => {
    const buyer = createEager();
    const off = await buyer.put({ enabled: false });
    expect([off.status, off.body]).toMatchObject([200, { enabled: false, recharge_usd: 10 }]);
    await buyer.upload();
    expect(buyer.charges()).toEqual([]);
    expect((await buyer.put({ enabled: true })).status).toBe(400);
    expect((await buyer.put({ enabled: true, authorization: buyer.authorize() })).status).toBe(200);
    await buyer.upload();
    expect(buyer.charges()).toHaveLength(1);
  });
});

test("without a saved card it can't be enabled: a transfer saves none", async () => {
  const { emulator, control } = createControlled();
  const id = emulator.accountId;
  emulator.accounts.topUp(id, { usd: 10, method: "crypto" });
  const authorization = emulator.accounts.authorize(id);
  const { status, body } = await control("PUT", `/accounts/${id}/auto-top-up`, {
    ...SETTINGS,
    ...authorization,
  });
  expect([status, body.message]).toEqual([400, expect.stringContaining("saved card")]);
  expect((await control("PATCH", `/accounts/${id}`, { saved_card: "refuses" })).status).toBe(400);
});

describe("its bounds", () => {
  const allowed = [
    { threshold_credits: 50 },
    { threshold_credits: 1_000_000 },
    { recharge_usd: 10, monthly_cap_usd: 10 },
    { recharge_usd: 1000, monthly_cap_usd: 1000 },
    { monthly_cap_usd: 10_000 },
  ];
  test.each(allowed)("%j is within", async (change) => {
    const buyer = createBuyer();
    const { status, body } = await buyer.put({ ...SETTINGS, ...change, authorization: buyer.authorize() });
    expect([status, body]).toMatchObject([200, change]);
  });

  const refused = [
    { threshold_credits: 49 },
    { threshold_credits: 50.5 },
    { threshold_credits: "50" },
    { threshold_credits: null },
    { recharge_usd: 9 },
    { recharge_usd: 10.5, monthly_cap_usd: 20 },
    { recharge_usd: 1001, monthly_cap_usd: 10_000 },
    { monthly_cap_usd: 9 },
    { monthly_cap_usd: 15.5 },
    { monthly_cap_usd: 10_001 },
    { recharge_usd: 21, monthly_cap_usd: 20 },
    { enabled: "yes" },
    { enabled: undefined },
    { currency: "EUR" },
  ];
  test.each(refused)("%j is not, and changes nothing", async (change) => {
    const buyer = createBuyer();
    const authorization = buyer.authorize();
    const before = buyer.frozenState();
    const { status, body } = await buyer.put({ ...SETTINGS, ...change, authorization });
    expect([status, body.error_code]).toEqual([400, "invalid_request_body"]);
    expect(buyer.frozenState()).toBe(before);
  });
});

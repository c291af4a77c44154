import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  DAY_MS,
  histories,
  type Player,
  type Step,
  startOfMonth,
  sumsOf,
  take,
} from "./support/histories.js";
import { readPdf } from "./support/read-pdf.js";
import { createService } from "./support/service.js";

const HOUR_MS = 3_600_000;
const GIVEN = 40;
/** East and west of UTC, neither by whole hours. */
const ZONES = ["UTC", "Asia/Kathmandu", "America/St_Johns"] as const;
const MONTHS = ["calendar_utc", "rolling_30_days"] as const;

afterEach(() => {
  vi.unstubAllEnvs();
});

function open(month: (typeof MONTHS)[number]): Player {
  const { emulator } = createService({ seed: 1, credits: GIVEN, policy: { auto_top_up_month: month } });
  return { emulator, id: emulator.accountId, apiKey: emulator.apiKey };
}

/** The rules of the automatic top-up once more, from the steps and the ledger alone. */
class Model {
  readonly #month: (typeof MONTHS)[number];
  #settings: Extract<Step, { do: "autoTopUp" }> | null = null;
  #cardRefuses = false;
  #pausedUntil = 0;
  #pending: Extract<Step, { do: "topUp" }>[] = [];
  readonly charges: { at: number; usd: number }[] = [];
  paidByHand = 0;

  constructor(month: (typeof MONTHS)[number]) {
    this.#month = month;
  }

  /** @param available - What the task of this step left available, before any charge; null for any other step. */
  follow(step: Step, now: number, available: number | null): void {
    if (step.do === "topUp" && step.outcome === "pending") this.#pending.push(step);
    if (step.do === "topUp" && step.outcome !== "pending") this.#end(step, step.outcome, now);
    if (step.do === "decide") {
      const payment = this.#pending.shift();
      if (payment !== undefined) this.#end(payment, step.status, now);
    }
    if (step.do === "card") this.#cardRefuses = step.saved_card === "refuses";
    if (step.do === "autoTopUp") this.#settings = step;
    if (available !== null) this.#charge(available, now);
  }

  chargedThisMonth(now: number): number {
    const isCounted = (at: number) =>
      this.#month === "calendar_utc" ? at >= startOfMonth(now) : at > now - 30 * DAY_MS;
    return this.charges.reduce((sum, { at, usd }) => sum + (isCounted(at) ? usd : 0), 0);
  }

  #end({ usd, method }: Extract<Step, { do: "topUp" }>, status: "completed" | "refused", now: number): void {
    if (status === "completed") this.paidByHand += Math.round(usd * 100);
    if (method !== "card") return;
    if (status === "refused") this.#pausedUntil = now + HOUR_MS;
    else this.#cardRefuses = false;
  }

  #charge(available: number, now: number): void {
    if (this.#settings?.enabled !== true || now < this.#pausedUntil) return;
    const { threshold_credits: threshold, recharge_usd: usd, monthly_cap_usd: cap } = this.#settings;
    if (available >= threshold || this.chargedThisMonth(now) + usd > cap) return;
    if (this.#cardRefuses) this.#pausedUntil = now + HOUR_MS;
    else this.charges.push({ at: now, usd });
  }
}

describe.each(ZONES)("on a machine in %s", (zone) => {
  test.each(MONTHS)(
    "the charges of a month and all invoices agree with the ledger after any history, by the policy %s",
    async (month) => {
      vi.stubEnv("TZ", zone);
      const property = fc.asyncProperty(histories({ maxSteps: 30 }), async (history) => {
        const player = open(month);
        const { accounts, clock } = player.emulator;
        const model = new Model(month);
        for (const step of history) {
          const before = accounts.get(player.id).ledger.length;
          await take(step, player);
          const { ledger, balance, usage } = accounts.get(player.id);
          const frozenAt = ledger.findIndex(({ kind }, index) => index >= before && kind === "freeze");
          const left = frozenAt === -1 ? null : sumsOf(ledger.slice(0, frozenAt + 1)).available;
          model.follow(step, clock.now(), left);

          const sums = sumsOf(ledger);
          const charged = model.charges.reduce((sum, { usd }) => sum + 100 * usd, 0);
          expect(sums.toppedUp).toBe(GIVEN + model.paidByHand + charged);
          expect(balance).toMatchObject({ available: sums.available, frozen: sums.frozen });
          expect(usage.credits_topped_up).toBe(sums.toppedUp);
          expect(accounts.autoTopUp(player.id).charged_this_month_usd).toBe(
            model.chargedThisMonth(clock.now()),
          );
        }
        expectInvoices(player);
      });
      await fc.assert(property, { numRuns: 60 });
    },
  );

  test("each top-up of the ledger has one invoice, whose PDF has the same day and total", async () => {
    vi.stubEnv("TZ", zone);
    const property = fc.asyncProperty(histories({ maxSteps: 8 }), async (history) => {
      const player = open("calendar_utc");
      const { accounts } = player.emulator;
      for (const step of [...AROUND_A_MONTH, ...history]) await take(step, player);
      for (const { invoice_id: id, at, credits } of expectInvoices(player)) {
        const { lines } = readPdf(await accounts.invoicePdf(player.id, id));
        const textAfter = (label: string) => lines[lines.indexOf(label) + 1] ?? "";
        const amount = usdOf(credits);
        expect(["Total", "Paid", "Amount due"].map(textAfter)).toEqual([amount, amount, "USD 0.00"]);
        expect(lines.filter((line) => line === amount)).toHaveLength(credits === 1 ? 4 : 3);
        const day = at.slice(0, 10);
        expect(["Date of issue", "Date paid"].map(textAfter)).toEqual([day, day]);
      }
    });
    await fc.assert(property, { numRuns: 2 });
  });
});

/** Payments on a day that is another one in the east or in the west. */
const AROUND_A_MONTH: readonly Step[] = [
  { do: "advance", from: "month", ms: -5 * HOUR_MS },
  { do: "topUp", usd: 1_234.5, method: "crypto", outcome: "completed" },
  { do: "topUp", usd: 0.07, method: "card", outcome: "pending" },
  { do: "advance", from: "month", ms: 3 * HOUR_MS },
  { do: "decide", status: "completed" },
];

/** Expects one invoice for each top-up of the ledger that was paid for, and returns both. */
function expectInvoices({ emulator: { accounts }, id }: Player) {
  const address = { address_line_1: "Rua da Bica 12", city: "Lisboa", country: "Portugal" };
  accounts.setBilling(id, { name: "Chuva Discos Lda", ...address });
  const invoices = accounts.invoices(id);
  const [, ...paid] = accounts.get(id).ledger.filter(({ kind }) => kind === "top_up");
  expect(invoices).toMatchObject(paid.map(({ at, credits }) => ({ at, credits, usd: credits / 100 })));
  return paid.map((entry, index) => ({ invoice_id: invoices[index]?.invoice_id ?? "", ...entry }));
}

/** `USD 1,234.50` */
function usdOf(credits: number): string {
  const dollars = String(Math.floor(credits / 100)).replace(/\B(?=(\d{3})+$)/g, ",");
  return `USD ${dollars}.${String(credits % 100).padStart(2, "0")}`;
}

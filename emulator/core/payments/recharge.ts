import { isoTime } from "../../time/clock.js";
import { canTopUp } from "../ledger/ledger.js";
import type { Policy } from "../policy/policy.js";
import { type Buyer, CREDITS_PER_USD, type PaymentSource, type Purchases } from "./buyer.js";
import { pay } from "./payment.js";

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;

/**
 * Charges the saved card once, if a freeze has left less than the threshold available, the month's cap has room for it,
 * and no refused charge is too fresh.
 */
export function rechargeAfterFreeze(source: PaymentSource, buyer: Buyer, now: number): void {
  const { savedCard, autoTopUp } = buyer.purchases;
  const { enabled, settings, pausedUntil } = autoTopUp;
  if (!enabled || settings === null || savedCard === null) return;
  if (buyer.ledger.available >= settings.thresholdCredits) return;
  if (pausedUntil !== null && now < pausedUntil) return;
  const charged = chargedThisMonthUsd(buyer.purchases, source.policy, now);
  if (charged + settings.rechargeUsd > settings.monthlyCapUsd) return;

  const credits = settings.rechargeUsd * CREDITS_PER_USD;
  if (!canTopUp(buyer.ledger, credits)) return;
  const outcome = savedCard.refuses ? "refused" : "completed";
  pay(source, buyer, { credits, method: "card", automatic: true }, outcome, now);
}

/** What was charged automatically in the month, which is what `policy.auto_top_up_month` says. */
export function chargedThisMonthUsd({ payments }: Purchases, policy: Policy, now: number): number {
  const isThisMonth =
    policy.auto_top_up_month === "calendar_utc"
      ? (at: number) => monthOf(at) === monthOf(now)
      : (at: number) => at > now - THIRTY_DAYS_MS;
  const charged = payments.filter(
    ({ automatic, status, createdAt }) => automatic && status === "completed" && isThisMonth(createdAt),
  );
  return charged.reduce((sum, { credits }) => sum + credits, 0) / CREDITS_PER_USD;
}

function monthOf(at: number): string {
  return isoTime(at).slice(0, -"-00T00:00:00.000Z".length);
}

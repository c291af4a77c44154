import { randomUuid } from "../../time/random.js";
import type { Policy } from "../policy-fields.js";
import { chargedThisMonthUsd, pausedUntil } from "./payments.js";
import type { AutoTopUpAmounts, Buyer, PaymentSource, Purchases } from "./schemas.js";
import type { AutoTopUpChange, AutoTopUpView } from "./types.js";

export function viewAutoTopUp(purchases: Purchases, policy: Policy, now: number): AutoTopUpView {
  const { enabled, amounts } = purchases.auto_top_up;
  return {
    enabled,
    threshold_credits: amounts?.threshold_credits ?? null,
    recharge_usd: amounts?.recharge_usd ?? null,
    monthly_cap_usd: amounts?.monthly_cap_usd ?? null,
    saved_card: purchases.saved_card?.last4 ?? null,
    charged_this_month_usd: chargedThisMonthUsd(purchases, policy, now),
    paused_until: pausedUntil(purchases, now),
  };
}

/** Issues an authorization, good for one change. */
export function authorize({ seed, counts }: PaymentSource, { purchases }: Buyer): string {
  const authorization = randomUuid(seed, "authorization", counts.authorizations++);
  purchases.authorizations.push(authorization);
  return authorization;
}

/** @throws RangeError for a change that is not allowed: nothing is then changed, and no authorization is used. */
export function changeAutoTopUp({ purchases }: Buyer, change: AutoTopUpChange): void {
  const { auto_top_up: current } = purchases;
  const amounts = mergeAmounts(current.amounts, change);
  if (change.enabled && purchases.saved_card === null) {
    throw new RangeError(
      "Failed to enable the automatic top-up: there is no saved card. Top up by card once, and its card is saved",
    );
  }
  const { authorization = null } = change;
  const isEnabling = change.enabled && !current.enabled;
  const isChanging = JSON.stringify(amounts) !== JSON.stringify(current.amounts);
  // One that is passed without need must be valid, and is used.
  if (isEnabling || isChanging || (change.enabled && authorization !== null))
    useAuthorization(purchases, authorization);
  purchases.auto_top_up = { ...current, enabled: change.enabled, amounts };
}

function mergeAmounts(current: AutoTopUpAmounts | null, change: AutoTopUpChange): AutoTopUpAmounts | null {
  const threshold = change.threshold_credits ?? current?.threshold_credits;
  const recharge = change.recharge_usd ?? current?.recharge_usd;
  const cap = change.monthly_cap_usd ?? current?.monthly_cap_usd;
  if (recharge !== undefined && cap !== undefined && cap < recharge) {
    throw new RangeError(
      `Expected \`monthly_cap_usd\` to be at least \`recharge_usd\`, got \`${cap}\` for \`${recharge}\``,
    );
  }
  if (threshold !== undefined && recharge !== undefined && cap !== undefined)
    return { threshold_credits: threshold, recharge_usd: recharge, monthly_cap_usd: cap };
  if (change.enabled || [threshold, recharge, cap].some((amount) => amount !== undefined)) {
    throw new RangeError(
      "Expected `auto_top_up` to have all of `threshold_credits`, `recharge_usd` and `monthly_cap_usd`",
    );
  }
  return null;
}

function useAuthorization(purchases: Purchases, authorization: string | null): void {
  if (authorization === null || !purchases.authorizations.includes(authorization)) {
    throw new RangeError(
      "Failed to change the automatic top-up: it needs an `authorization` that is fresh, and each is good once",
    );
  }
  purchases.authorizations = purchases.authorizations.filter((each) => each !== authorization);
}

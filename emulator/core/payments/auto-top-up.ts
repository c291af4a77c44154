import * as z from "zod/mini";
import { randomUuid } from "../../time/random.js";
import { wholeNumber } from "../options/numbers.js";
import { objectOf } from "../options/object-of.js";
import { parseOption } from "../options/parse-option.js";
import type { AutoTopUpSettings, Buyer, PaymentSource, Purchases } from "./buyer.js";

/** How long no charge is tried after one was refused (Limits: failure protections). */
const PAUSE_MS = 3_600_000;

/**
 * Limits: Automatic Top-Up. What its amounts can be.
 *
 * @internal
 */
export const autoTopUpAmounts = {
  thresholdCredits: wholeNumber(50, 1e9),
  rechargeUsd: wholeNumber(10, 1000),
  monthlyCapUsd: wholeNumber(10, 10_000),
};

/**
 * Limits: Automatic Top-Up. What is left out, or `null`, stays as it is.
 *
 * @internal
 */
export const autoTopUpSchema = objectOf({
  enabled: z.boolean("be true or false"),
  threshold_credits: z.optional(z.nullable(autoTopUpAmounts.thresholdCredits)),
  recharge_usd: z.optional(z.nullable(autoTopUpAmounts.rechargeUsd)),
  monthly_cap_usd: z.optional(z.nullable(autoTopUpAmounts.monthlyCapUsd)),
  authorization: z.optional(z.nullable(z.string("be a string"))),
});

/** A change of the automatic top-up. Amounts that are left out stay as they are. */
export interface AutoTopUpChange {
  enabled: boolean;
  /** A charge is due when less than this is available: 50 credits or more. */
  threshold_credits?: number | null | undefined;
  /** What is charged each time: whole US dollars, 10 to 1000. */
  recharge_usd?: number | null | undefined;
  /** What is charged in a month at most: whole US dollars, 10 to 10000, and at least one recharge. */
  monthly_cap_usd?: number | null | undefined;
  /** From `authorize`; good once. Needed to enable it, and to change an amount. */
  authorization?: string | null | undefined;
}

/** A fresh authorization, good for one change. */
export function authorize({ seed, counts }: PaymentSource, { purchases }: Buyer): string {
  const authorization = randomUuid(seed, "authorization", counts.authorizations++);
  purchases.authorizations.push(authorization);
  return authorization;
}

/** Changes the automatic top-up. A change that is refused changes nothing, and uses no authorization up. */
export function changeAutoTopUp({ purchases }: Buyer, value: unknown): void {
  const change = parseOption("auto_top_up", autoTopUpSchema, value);
  const { autoTopUp } = purchases;
  const settings = mergeSettings(autoTopUp.settings, change);
  if (change.enabled) checkCanCharge(purchases, settings);
  if (needsAuthorization(change, settings, autoTopUp)) useAuthorization(purchases, change.authorization);
  purchases.autoTopUp = { ...autoTopUp, enabled: change.enabled, settings };
}

/** Enabling it and changing an amount do; what is shown all the same has to be good. */
function needsAuthorization(
  { enabled, authorization = null }: z.infer<typeof autoTopUpSchema>,
  settings: AutoTopUpSettings | null,
  current: Purchases["autoTopUp"],
): boolean {
  const isEnabling = enabled && !current.enabled;
  return isEnabling || !areSame(settings, current.settings) || (enabled && authorization !== null);
}

/** After a refused charge nothing is tried for an hour. */
export function pauseAutoTopUp(purchases: Purchases, now: number): void {
  purchases.autoTopUp.pausedUntil = now + PAUSE_MS;
}

function mergeSettings(
  current: AutoTopUpSettings | null,
  change: z.infer<typeof autoTopUpSchema>,
): AutoTopUpSettings | null {
  const thresholdCredits = change.threshold_credits ?? current?.thresholdCredits;
  const rechargeUsd = change.recharge_usd ?? current?.rechargeUsd;
  const monthlyCapUsd = change.monthly_cap_usd ?? current?.monthlyCapUsd;
  if (rechargeUsd !== undefined && monthlyCapUsd !== undefined && monthlyCapUsd < rechargeUsd) {
    throw new RangeError(
      `Expected \`monthly_cap_usd\` to be at least \`recharge_usd\`, got \`${monthlyCapUsd}\` for \`${rechargeUsd}\``,
    );
  }
  if (thresholdCredits !== undefined && rechargeUsd !== undefined && monthlyCapUsd !== undefined)
    return { thresholdCredits, rechargeUsd, monthlyCapUsd };
  const isPartial = [thresholdCredits, rechargeUsd, monthlyCapUsd].some((amount) => amount !== undefined);
  if (change.enabled || isPartial) {
    throw new RangeError(
      "Expected `auto_top_up` to have all of `threshold_credits`, `recharge_usd` and `monthly_cap_usd`",
    );
  }
  return null;
}

function checkCanCharge({ savedCard }: Purchases, settings: AutoTopUpSettings | null): void {
  if (savedCard !== null && settings !== null) return;
  throw new RangeError(
    "Failed to enable the automatic top-up: there is no saved card. Top up by card once, and its card is saved",
  );
}

function useAuthorization(purchases: Purchases, authorization: string | null | undefined): void {
  if (
    authorization === null ||
    authorization === undefined ||
    !purchases.authorizations.includes(authorization)
  ) {
    throw new RangeError(
      "Failed to change the automatic top-up: it needs an `authorization` that is fresh, and each is good once",
    );
  }
  purchases.authorizations = purchases.authorizations.filter((each) => each !== authorization);
}

function areSame(one: AutoTopUpSettings | null, other: AutoTopUpSettings | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

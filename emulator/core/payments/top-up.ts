import * as z from "zod/mini";
import { canTopUp } from "../ledger/ledger.js";
import { MOST_CREDITS } from "../options/credits.js";
import { objectOf } from "../options/object-of.js";
import { oneOf } from "../options/one-of.js";
import { parseOption } from "../options/parse-option.js";
import { UnknownIdError } from "../options/unknown-id.js";
import {
  type Buyer,
  CREDITS_PER_USD,
  PAYMENT_METHODS,
  PAYMENT_STATUSES,
  type PaymentSource,
  type StoredPayment,
} from "./buyer.js";
import { endPayment, pay } from "./payment.js";

const MOST_USD = 1_000_000;
const usdRule = `be US dollars and whole cents, 0.01 to ${MOST_USD}`;

/** @internal */
export const topUpSchema = objectOf({
  usd: z.number(usdRule).check(z.gte(0.01, usdRule), z.lte(MOST_USD, usdRule), z.multipleOf(0.01, usdRule)),
  method: oneOf(...PAYMENT_METHODS),
  outcome: z.optional(oneOf(...PAYMENT_STATUSES)),
});

/** @internal */
export const paymentChangeSchema = objectOf({ status: oneOf("completed", "refused") });

/** A purchase of credits by hand. */
export interface TopUp {
  /** US dollars, to the cent; each cent buys one credit. */
  usd: number;
  method: "card" | "crypto";
  /** How it goes: a card can be refused, and a transfer unconfirmed for now. @defaultValue "completed" */
  outcome?: "completed" | "refused" | "pending" | undefined;
}

/** @throws RangeError that names the field that is wrong; nothing has then happened. */
export function topUpByHand(source: PaymentSource, buyer: Buyer, value: unknown, now: number): StoredPayment {
  const { usd, method, outcome = "completed" } = parseOption("top_up", topUpSchema, value);
  const credits = Math.round(usd * CREDITS_PER_USD);
  if (outcome === "completed") checkRoom(buyer, credits);
  return pay(source, buyer, { credits, method, automatic: false }, outcome, now);
}

/** Completes or refuses a payment that is pending; one that has ended stays as it is. */
export function decidePayment(
  source: PaymentSource,
  buyer: Buyer,
  paymentId: string,
  value: unknown,
  now: number,
): StoredPayment {
  const payment = buyer.purchases.payments.find(({ id }) => id === paymentId);
  if (payment === undefined) throw new UnknownIdError("payment", paymentId, "the account");
  const { status } = parseOption("top_up", paymentChangeSchema, value);
  if (payment.status !== "pending") {
    throw new RangeError(
      `Failed to change the payment: it is ${payment.status}, and only a pending one can be`,
    );
  }
  if (status === "completed") checkRoom(buyer, payment.credits);
  endPayment(source, buyer, payment, status, now);
  return payment;
}

function checkRoom({ ledger }: Buyer, credits: number): void {
  if (canTopUp(ledger, credits)) return;
  throw new RangeError(
    `Failed to top up by ${credits} credits: the account has been given ${ledger.toppedUp}, and ${MOST_CREDITS} is the most`,
  );
}

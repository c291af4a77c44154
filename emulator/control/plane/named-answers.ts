import * as z from "zod/mini";
import { ruleSchema } from "../../core/faults.js";
import { policySchema } from "../../core/policy.js";
import { outcomeSchema } from "../../core/providers.js";
import * as answer from "./answer-schemas.js";
import * as look from "./look-schemas.js";
import * as purchase from "./purchase-schemas.js";

/** What several calls answer, by the names under which the description has it once. */
export const NAMED_ANSWERS = z.registry<{ id: string }>();

for (const [id, schema] of Object.entries({
  Policy: policySchema,
  Outcome: outcomeSchema,
  FaultRule: ruleSchema,
  Balance: answer.balance,
  Usage: answer.usage,
  Key: answer.key,
  Limits: answer.limits,
  LedgerEntry: answer.ledgerEntry,
  LoggedRequest: answer.loggedRequest,
  Finding: answer.finding,
  Account: answer.account,
  TaskRow: look.taskRow,
  Payment: purchase.payment,
  Invoice: purchase.invoice,
  AutoTopUp: purchase.autoTopUp,
  Billing: purchase.billing,
  MaybeBilling: purchase.maybeBilling,
})) {
  NAMED_ANSWERS.add(schema, { id });
}

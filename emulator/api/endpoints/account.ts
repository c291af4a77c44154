import type { Balance, Usage } from "../../../src/contract/account.js";
import { ENDPOINTS } from "../../../src/contract/endpoint.js";
import type { Account } from "../../accounts/account.js";
import { applyHour } from "../../tasks/look.js";
import { jsonAnswer } from "../answers.js";
import type { Answer } from "../exchange.js";
import type { Visit } from "../visit.js";
import { callerOf } from "./caller.js";

/** `GET /api/v1/account/balance`. */
export function balanceEndpoint(visit: Visit): Answer {
  const { status } = ENDPOINTS.balance;
  return jsonAnswer(status, { code: status, data: balanceData(lookedAt(visit)) });
}

/** `GET /api/v1/account/usage`. */
export function usageEndpoint(visit: Visit): Answer {
  const { status } = ENDPOINTS.usage;
  return jsonAnswer(status, { code: status, data: usageData(lookedAt(visit)) });
}

export function balanceData({ ledger: { available, frozen } }: Account): Balance {
  return { available, frozen, total: available + frozen };
}

export function usageData({ tasksCreated, creditsUsed, ledger }: Account): Usage {
  return { tasks_created: tasksCreated, credits_used: creditsUsed, credits_topped_up: ledger.toppedUp };
}

function lookedAt(visit: Visit): Account {
  const { account } = callerOf(visit);
  applyHour(visit.world, account, visit.now);
  return account;
}

import { ENDPOINTS } from "../../../src/contract/wire.js";
import type { Account } from "../../core/accounts.js";
import { balanceData, usageData } from "../../core/accounts.js";
import { applyTimeouts } from "../../core/transitions.js";
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

function lookedAt(visit: Visit): Account {
  const { account } = callerOf(visit);
  applyTimeouts(visit.world, account, visit.now);
  return account;
}

import type { Balance } from "../../../src/contract/responses.js";
import { type Account, balanceData } from "../../core/accounts.js";
import { applyTimeouts } from "../../core/transitions.js";
import type { RequestContext } from "../request-context.js";

export function readBalance({ core, now }: RequestContext, account: Account): Balance {
  applyTimeouts(core, account, now);
  return balanceData(account);
}

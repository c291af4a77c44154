import type { Balance, Usage } from "../../../src/contract/responses.js";
import { balanceData, type StoredAccount, usageData } from "../../core/accounts.js";
import { applyTimeouts } from "../../core/transitions.js";
import type { RequestContext } from "../request-context.js";

export function readBalance({ core, now }: RequestContext, account: StoredAccount): Balance {
  applyTimeouts(core, account, now);
  return balanceData(account);
}

export function readUsage({ core, now }: RequestContext, account: StoredAccount): Usage {
  applyTimeouts(core, account, now);
  return usageData(account);
}

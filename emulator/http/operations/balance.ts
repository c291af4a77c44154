import type { Balance } from "../../../src/contract/responses.js";
import { balanceData, type StoredAccount } from "../../core/accounts.js";
import { applyTimeouts } from "../../core/transitions.js";
import type { RequestContext } from "../request-context.js";

export function readBalance({ core, now }: RequestContext, account: StoredAccount): Balance {
  applyTimeouts(core, account, now);
  return balanceData(account);
}

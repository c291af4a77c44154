import type { Usage } from "../../../src/contract/responses.js";
import { type StoredAccount, usageData } from "../../core/accounts.js";
import { applyTimeouts } from "../../core/transitions.js";
import type { RequestContext } from "../request-context.js";

export function readUsage({ core, now }: RequestContext, account: StoredAccount): Usage {
  applyTimeouts(core, account, now);
  return usageData(account);
}

import type { Balance } from "../../../src/contract/responses.js";
import { type Account, balanceData } from "../../core/accounts.js";
import { applyTimeouts } from "../../core/transitions.js";
import type { Context } from "../context.js";

export function readBalance({ core, now }: Context, account: Account): Balance {
  applyTimeouts(core, account, now);
  return balanceData(account);
}

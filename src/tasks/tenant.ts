import { type BudgetCallOptions, tenantRule } from "../budget/budget.js";
import { invalidOption, wrongValue } from "../errors/base.js";
import { checkOption } from "../errors/options.js";
import type { Redactor } from "../errors/redactor.js";

/** The option of all calls that create, read or await a task. */
export interface TenantOptions {
  /**
   * The customer that the call belongs to, for example the ID of a workspace: 1 to 200 characters, without the API key.
   * Tenants take turns within the rate limit of the API key, so that many requests of one tenant do not delay the others.
   * All calls without a tenant count as one more tenant. The service does not receive the name.
   *
   * @defaultValue no tenant
   */
  tenant?: string | undefined;
}

/** @throws InvalidOptionError */
export function checkTenant(tenant: unknown, redactor: Pick<Redactor, "containsKey">): void {
  if (tenant === undefined) return;
  checkOption("tenant", tenantRule, tenant);
  if (redactor.containsKey(String(tenant))) throw wrongValue("tenant", "not contain the API key");
}

/** @throws InvalidOptionError a budget is given, and no tenant whose budget it is */
export function checkTenantOfBudget({ tenant, budget }: { tenant?: unknown } & BudgetCallOptions): void {
  if (budget !== undefined && tenant === undefined)
    throw invalidOption("tenant", [{ name: "budget" }, " needs ", { name: "tenant" }]);
}

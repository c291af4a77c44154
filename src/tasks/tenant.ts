import { shown, wrongValue } from "../errors/base.js";
import type { Redactor } from "../errors/redactor.js";

const LONGEST_TENANT = 200;

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
  if (typeof tenant !== "string" || tenant === "" || tenant.length > LONGEST_TENANT)
    throw wrongValue("tenant", `be a string of 1 to ${LONGEST_TENANT} characters`, shown(tenant));
  if (redactor.containsKey(tenant)) throw wrongValue("tenant", "not contain the API key");
}

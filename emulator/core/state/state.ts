import type { Account } from "../accounts.js";
import type { Audit, AuditData } from "../audit.js";
import type { AddedFault } from "../faults.js";
import type { LoggedRequest } from "../log.js";
import type { Policy } from "../policy-fields.js";
import type { Scripts } from "../providers.js";
import type { Limits } from "../rate-limit.js";
import type { StoredTask } from "../task.js";

/** Everything that an emulator knows, but for the time, which its clock has. JSON has a form for all of it. */
export interface State {
  /** What all chance comes from; with the counts below it is the position in every stream of chance. */
  seed: number;
  /** Whose the emulator is: its account, and the key that stays through every reset. */
  owner: { accountId: string; apiKey: string };
  counts: Counts;
  policy: Policy;
  limits: Limits;
  /** In the order of their creation. */
  accounts: Account[];
  /** A task's place in this list is its ordinal. */
  tasks: StoredTask[];
  scripts: Scripts;
  faults: AddedFault[];
  requests: LoggedRequest[];
  audit: Audit;
}

/** The same as plain data. */
export type StateData = Omit<State, "audit"> & { audit: AuditData };

/** How many of each there have been. */
export interface Counts {
  accounts: number;
  keys: number;
  requests: number;
  connections: number;
  faults: number;
  /** Exchanges that have begun. */
  arrivals: number;
  payments: number;
  invoices: number;
  authorizations: number;
}

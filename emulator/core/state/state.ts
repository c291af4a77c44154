import type * as z from "zod/mini";
import { accountSchema, createAccount, createKey } from "../accounts.js";
import { type Audit, auditSchema, createAudit, loggedRequestSchema } from "../audit.js";
import { count, list, objectOf, text, wholeNumber } from "../checks.js";
import { addedFaultSchema } from "../faults.js";
import { policySchema } from "../policy.js";
import { scriptSchema } from "../providers.js";
import { limitsSchema } from "../rate-limit.js";
import { taskSchema } from "../task.js";

/** Everything that an emulator stores, but for the time, which its clock has. */
export type State = Omit<StateData, "audit"> & { audit: Audit };

export type StateData = z.output<typeof stateSchema>;
export const stateSchema = objectOf({
  /** With the counts, the position in every stream of random numbers. */
  seed: wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  /** The first account, and the key that stays through every reset. */
  owner: objectOf({ accountId: text, apiKey: text }),
  /** How many of each were ever made. */
  counts: objectOf({
    accounts: count,
    keys: count,
    requests: count,
    connections: count,
    faults: count,
    arrivals: count,
    payments: count,
    invoices: count,
    authorizations: count,
  }),
  policy: policySchema,
  limits: limitsSchema,
  /** In the order of their creation. */
  accounts: list(accountSchema),
  /** By ordinal. */
  tasks: list(taskSchema),
  scripts: objectOf({ provider_a: scriptSchema, provider_b: scriptSchema }),
  faults: list(addedFaultSchema),
  requests: list(loggedRequestSchema),
  audit: auditSchema,
});

interface NewState extends Pick<State, "seed" | "policy" | "limits"> {
  credits: number;
  /** The first account's key. @defaultValue one from the seed */
  apiKey: string | undefined;
}

/** A state with one account, which has its credits and one key. */
export function createState({ seed, credits, policy, limits, apiKey }: NewState, now: number): State {
  const counts = {
    accounts: 0,
    keys: 0,
    requests: 0,
    connections: 0,
    faults: 0,
    arrivals: 0,
    payments: 0,
    invoices: 0,
    authorizations: 0,
  };
  const account = createAccount({ seed, counts }, credits, now);
  const key = createKey({ seed, counts }, apiKey);
  account.keys.push(key);
  return {
    seed,
    owner: { accountId: account.id, apiKey: key.value },
    counts,
    policy,
    limits,
    accounts: [account],
    tasks: [],
    scripts: { provider_a: { next: [], always: null }, provider_b: { next: [], always: null } },
    faults: [],
    requests: [],
    audit: createAudit(),
  };
}

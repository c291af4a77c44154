import { createAccount, createKey } from "../accounts/account.js";
import { createConduct } from "../audit/conduct.js";
import { changeLimits, DEFAULT_LIMITS } from "../limits/limits.js";
import type { ResetOptions } from "../options/emulator-options.js";
import { changePolicy, defaultPolicy, variedPolicy } from "../policy/choose-policy.js";
import { createScripts } from "../providers/scripts.js";
import type { Counts, State } from "./state.js";

const DEFAULT_SEED = 1;
const DEFAULT_CREDITS = 1000;

/** A new world: one account with its credits and one key, and nothing has happened yet. */
export function createState(options: ResetOptions, apiKey: string | undefined, now: number): State {
  const { seed = DEFAULT_SEED, credits = DEFAULT_CREDITS, policy = {}, limits = {} } = options;
  const counts = noCounts();
  const account = createAccount({ seed, counts }, credits, now);
  const key = createKey({ seed, counts }, apiKey);
  account.keys.push(key);
  return {
    seed,
    owner: { accountId: account.id, apiKey: key.value },
    counts,
    policy: policy === "vary" ? variedPolicy(seed) : changePolicy(defaultPolicy(), policy),
    limits: changeLimits(DEFAULT_LIMITS, limits),
    accounts: [account],
    tasks: [],
    scripts: createScripts(),
    faults: [],
    requests: [],
    conduct: createConduct(),
  };
}

function noCounts(): Counts {
  return {
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
}

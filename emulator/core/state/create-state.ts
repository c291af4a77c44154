import { createAccount, createKey } from "../accounts.js";
import { createAudit } from "../audit.js";
import { changePolicy, defaultPolicy, variedPolicy } from "../policy.js";
import type { Policy } from "../policy-fields.js";
import { createScripts } from "../providers.js";
import { changeLimits, DEFAULT_LIMITS, type Limits } from "../rate-limit.js";
import type { Counts, State } from "./state.js";

/** What an emulator begins with, at its creation and after each reset. */
export interface ResetOptions {
  /** What all ids, times and songs come from: a whole number. @defaultValue 1 */
  seed?: number | undefined;
  /** The credits of the first account: a whole number. @defaultValue 1000 */
  credits?: number | undefined;
  /** Choices that the interface leaves open; `"vary"` draws all of them from the seed. @defaultValue every default */
  policy?: Partial<Policy> | "vary" | undefined;
  /** The rate limit of every key. @defaultValue 120 requests in 60 s */
  limits?: Partial<Limits> | undefined;
}

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
    audit: createAudit(),
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

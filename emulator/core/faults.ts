import * as z from "zod/mini";
import { randomStream } from "../time/random.js";
import { count, NAMED, numberBetween, objectOf, text, unionBy, wholeNumber } from "./checks.js";
import { RANGES } from "./ranges.js";

/** A fault and the requests it applies to. If several faults match a request, only the one added first fires. */
export interface FaultRule {
  /** In any case. @defaultValue any */
  method?: string | undefined;
  /** An exact path, or a prefix that ends in `*`. @defaultValue any */
  path?: string | undefined;
  /** How often it fires. @defaultValue 1; with `probability`, unlimited */
  times?: number | undefined;
  /** The probability, above 0 and at most 1, that it fires on a matching request. The seed decides. @defaultValue 1 */
  probability?: number | undefined;
  fault: Fault;
  /** Only for requests with a key of this account, and downloads of its files. @defaultValue all accounts */
  account_id?: string | undefined;
}

/**
 * What goes wrong. `when` is `"before"` (the request has no effect) or `"after"` (the request takes effect, but its
 * response is lost).
 */
export type Fault =
  /** The response has this status and the service's error body. */
  | {
      kind: "status";
      /** 200 to 599. */
      status: number;
      /**
       * @defaultValue none for a redirect (3xx); else the first code of the interface with this status; without one,
       * `invalid_request_body` for a 4xx, and `internal_error` otherwise
       */
      error_code?: string | undefined;
      /** Also sets the `Retry-After` header. @defaultValue 1 for a 429, else none */
      retry_after_seconds?: number | undefined;
      when: "before" | "after";
    }
  /** The connection breaks. */
  | { kind: "disconnect"; when: "before" | "after" }
  /** Delays the request by this many milliseconds on the emulator's clock. */
  | { kind: "latency"; ms: number }
  /** The request takes effect, but the body of its response is cut. */
  | { kind: "malformed" }
  /**
   * The request has no effect and no response. Until the client aborts it, in real time, a virtual clock does not advance
   * by itself; `clock.advance` still moves it.
   */
  | { kind: "stall" };

const when = z.enum(["before", "after"], "be before or after");

const faultSchema = unionBy("kind", [
  objectOf({
    kind: z.literal("status"),
    status: wholeNumber(200, 599),
    error_code: z.optional(text),
    retry_after_seconds: z.optional(wholeNumber(0, 1e9)),
    when,
  }),
  objectOf({ kind: z.literal("disconnect"), when }),
  objectOf({ kind: z.literal("latency"), ms: numberBetween(0, 1e12) }),
  objectOf({ kind: z.literal("malformed") }),
  objectOf({ kind: z.literal("stall") }),
]);

const [never, always] = RANGES.probability;
const probabilityRule = `be a number above ${never}, at most ${always}`;
const probability = z
  .number(probabilityRule)
  .check(
    z.gt(never, `be above ${never}: a fault with probability ${never} never fires`),
    z.lte(always, probabilityRule),
  );

const HTTP_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const METHOD_RULE = `be one of ${HTTP_METHODS.join(", ")}`;
const PATH_RULE = "begin with / or be *";

const method = z
  .string(METHOD_RULE)
  .check(z.refine((name) => HTTP_METHODS.includes(name.toUpperCase()), METHOD_RULE));

export const faultRuleSchema = objectOf({
  method: z.optional(method),
  path: z.optional(z.string(PATH_RULE).check(z.regex(/^(\/|\*$)/, PATH_RULE))),
  times: z.optional(wholeNumber(...RANGES.times)),
  probability: z.optional(probability),
  fault: faultSchema,
  account_id: z.optional(text),
}).register(NAMED, { id: "FaultRule" });

export type AddedFault = z.output<typeof addedFaultSchema>;
export const addedFaultSchema = objectOf({
  /** Numbered in the order of `add`, for each account apart; selects its random stream. */
  ordinal: count,
  rule: faultRuleSchema,
  /** How often it can still fire; null for unlimited. */
  left: z.nullable(count),
  /** How many numbers were drawn from its random stream: one for each matching request on which no earlier fault fired. */
  met: count,
});

interface FaultState {
  seed: number;
  counts: { faults: number };
  faults: AddedFault[];
}

/** @param account - that of the rule's `account_id` */
export function addFault(
  state: FaultState,
  rule: AddedFault["rule"],
  account: { faults?: number | undefined } | null,
): AddedFault {
  const ordinal = account === null ? state.counts.faults++ : (account.faults ?? 0);
  if (account !== null) account.faults = ordinal + 1;
  const added = { ordinal, rule, left: timesOf(rule), met: 0 };
  state.faults.push(added);
  return added;
}

export const remainingFaultSchema = z.object({ rule: faultRuleSchema, left: z.nullable(count) });

/** The faults, or those of one account alone, and how often each can still fire. */
export function remainingFaults(faults: readonly AddedFault[], accountId: string | undefined) {
  return faults
    .filter(({ rule }) => accountId === undefined || rule.account_id === accountId)
    .map(({ rule, left }) => structuredClone({ rule, left }));
}

/** Whether the fault has never fired. One with a `probability` never counts as unused, since it need not fire. */
export function isUnused({ rule, left }: AddedFault): boolean {
  return rule.probability === undefined && left === timesOf(rule);
}

function timesOf({ times, probability }: FaultRule): number | null {
  return times ?? (probability === undefined ? 1 : null);
}

interface Target {
  method: string;
  path: string;
  accountId: string | null;
}

/** The fault that fires for a request, and the later ones that match it, too; `null` if none fires. */
export function takeFault(state: FaultState, target: Target) {
  const matching = state.faults.filter((each) => matches(each.rule, target));
  const index = matching.findIndex((each) => fires(each, state.seed));
  const fault = matching[index];
  if (fault === undefined) return null;
  if (fault.left !== null) fault.left--;
  if (fault.left === 0) state.faults = state.faults.filter((each) => each !== fault);
  return { fault, later: matching.slice(index + 1) };
}

function matches(rule: FaultRule, { method, path, accountId }: Target): boolean {
  if (rule.account_id !== undefined && rule.account_id !== accountId) return false;
  if (rule.method !== undefined && rule.method.toUpperCase() !== method) return false;
  if (rule.path === undefined) return true;
  return rule.path.endsWith("*") ? path.startsWith(rule.path.slice(0, -1)) : path === rule.path;
}

/**
 * Each fault has a random stream of its own, so that faults of other accounts, and faults that were added later, do not change
 * its draws. A request on which an earlier fault fires is not drawn for.
 */
function fires(fault: AddedFault, seed: number): boolean {
  const { probability, account_id: accountId } = fault.rule;
  if (probability === undefined) return true;
  const stream = accountId === undefined ? "fault" : "account fault";
  return randomStream(seed, stream, fault.ordinal, fault.met++)() < probability;
}

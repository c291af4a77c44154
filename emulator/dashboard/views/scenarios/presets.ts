import type { Rule, RuleOutcome } from "../../api.js";
import { formatCount, isolated } from "../../parts/format.js";

/** By name: what the page calls a value, and the value. */
type Presets<Value> = Readonly<Record<string, readonly [text: string, value: Value]>>;

export function choicesOf(presets: Presets<unknown>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(presets).map(([name, [text]]) => [name, text]));
}

type FaultRule = NonNullable<Rule["fault"]>;
type Fault = FaultRule["fault"];

/** What the page calls a fault. */
export function faultText(fault: Fault): string {
  switch (fault.kind) {
    case "status":
      return `${statusText(fault)} ${TIMES[fault.when]}`;
    case "disconnect":
      return `a lost connection ${TIMES[fault.when]}`;
    case "latency":
      return `${fault.ms < 1000 ? `${fault.ms} ms` : `${formatCount(fault.ms / 1000)} s`} of latency`;
    case "malformed":
      return "truncated JSON";
    case "stall":
      return "nothing, on an open connection";
  }
}

const TIMES = {
  before: "before the request is processed",
  after: "after the request was processed",
} as const;

/** Such as `429 rate_limited with Retry-After: 5`. */
function statusText(fault: Extract<Fault, { kind: "status" }>): string {
  const { status, error_code: code, retry_after_seconds: seconds } = fault;
  const wait = seconds === undefined ? "" : ` with Retry-After: ${seconds},`;
  return `${status}${code === undefined ? "" : ` ${isolated(code)}`}${wait}`;
}

const FAULT_PRESETS: Readonly<Record<string, Fault>> = {
  "bad-gateway": { kind: "status", status: 502, when: "before" },
  "bad-gateway-after": { kind: "status", status: 502, when: "after" },
  error: { kind: "status", status: 500, when: "before" },
  "error-after": { kind: "status", status: 500, when: "after" },
  limited: { kind: "status", status: 429, retry_after_seconds: 5, when: "before" },
  "lost-request": { kind: "disconnect", when: "before" },
  "lost-response": { kind: "disconnect", when: "after" },
  slow: { kind: "latency", ms: 10_000 },
  malformed: { kind: "malformed" },
  stall: { kind: "stall" },
};

export const FAULTS: Presets<Fault> = Object.fromEntries(
  Object.entries(FAULT_PRESETS).map(([name, fault]) => [name, [faultText(fault), fault]]),
);

/** The requests that faults apply to. */
export const REQUESTS: Presets<Pick<FaultRule, "method" | "path">> = {
  create: ["POST /task", { method: "POST", path: "/api/v1/task" }],
  read: ["GET /task/{task_id}", { method: "GET", path: "/api/v1/task/*" }],
  account: ["GET /account/*", { method: "GET", path: "/api/v1/account/*" }],
  audio: ["a download of audio", { path: "/audio/*" }],
  any: ["any request", {}],
};

export const OUTCOMES: Presets<RuleOutcome> = {
  success: ["Success", { outcome: "success" }],
  quick: ["Success within a second", { outcome: "success", process_seconds: 1 }],
  "first-read": ["Success at the first read", { outcome: "success", polls: 1 }],
  moderated: [
    "Failure: content_moderation, not retryable",
    { outcome: "failure", error_code: "content_moderation" },
  ],
  upstream: [
    "Failure: upstream_provider_error, retryable",
    { outcome: "failure", error_code: "upstream_provider_error" },
  ],
  limited: [
    "Failure: rate_limited, retryable after 30 s",
    { outcome: "failure", error_code: "rate_limited", retry_after_seconds: 30 },
  ],
  hang: ["Hangs: timeout after an hour", { outcome: "hang" }],
  reject: ["Rejected at submission: 502, no task", { outcome: "reject" }],
  "not-storable": ["Success, but the service can't store the audio", { outcome: "success", storable: false }],
  "no-clips": ["Success without clips", { outcome: "success", clips: 0 }],
};

/** What the page calls an outcome: another one than those above by its fields. */
export function outcomeText(outcome: RuleOutcome): string {
  const json = JSON.stringify(outcome);
  const [known] = Object.values(OUTCOMES).find(([, each]) => JSON.stringify(each) === json) ?? [];
  const { outcome: end = "success", ...rest } = outcome;
  const fields = Object.entries(rest).map(([name, value]) => `${name}: ${value}`);
  return known ?? isolated([OUTCOME_TITLES[end], ...fields].join(", "));
}

const OUTCOME_TITLES = { success: "Success", failure: "Failure", hang: "Hangs", reject: "Rejected" } as const;

export function outcomeNamed(name: string): RuleOutcome | null {
  return OUTCOMES[name]?.[1] ?? null;
}

import type { Rule, RuleOutcome } from "../../api.js";

/** By name: what the page calls a value, and the value. */
type Presets<Value> = Readonly<Record<string, readonly [text: string, value: Value]>>;

export function choicesOf(presets: Presets<unknown>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(presets).map(([name, [text]]) => [name, text]));
}

/** What the page calls a value; another one than the presets in JSON. */
export function textOf(presets: Presets<unknown>, value: unknown): string {
  const json = JSON.stringify(value);
  const [known] = Object.values(presets).find(([, each]) => JSON.stringify(each) === json) ?? [];
  return known ?? json.replaceAll(/\p{Bidi_Control}/gu, escaped);
}

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

type FaultRule = NonNullable<Rule["fault"]>;

export const FAULTS: Presets<FaultRule["fault"]> = {
  "bad-gateway": ["502 before the request is processed", { kind: "status", status: 502, when: "before" }],
  "bad-gateway-after": [
    "502 after the request was processed",
    { kind: "status", status: 502, when: "after" },
  ],
  error: ["500 before the request is processed", { kind: "status", status: 500, when: "before" }],
  "error-after": ["500 after the request was processed", { kind: "status", status: 500, when: "after" }],
  limited: [
    "429 with Retry-After: 5",
    { kind: "status", status: 429, retry_after_seconds: 5, when: "before" },
  ],
  "lost-request": [
    "a lost connection before the request is processed",
    { kind: "disconnect", when: "before" },
  ],
  "lost-response": [
    "a lost connection after the request was processed",
    { kind: "disconnect", when: "after" },
  ],
  slow: ["10 s of latency", { kind: "latency", ms: 10_000 }],
  malformed: ["truncated JSON", { kind: "malformed" }],
  stall: ["nothing, on an open connection", { kind: "stall" }],
};

/** What the page calls a fault. */
export function faultText(fault: FaultRule["fault"]): string {
  return textOf(FAULTS, fault);
}

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

export function outcomeNamed(name: string): RuleOutcome | null {
  return OUTCOMES[name]?.[1] ?? null;
}

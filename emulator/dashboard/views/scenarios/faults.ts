import type { Rule } from "../../api.js";
import { type Presets, textOf } from "../../parts/presets.js";

type FaultRule = NonNullable<Rule["fault"]>;

export const FAULTS: Presets<FaultRule["fault"]> = {
  "lost-response": [
    "The connection is lost after the request was processed",
    { kind: "disconnect", when: "after" },
  ],
  "lost-request": [
    "The connection is lost before the request is processed",
    { kind: "disconnect", when: "before" },
  ],
  "error-after": ["500 after the request was processed", { kind: "status", status: 500, when: "after" }],
  error: ["500 internal_error", { kind: "status", status: 500, when: "before" }],
  "bad-gateway": ["502 upstream_provider_error", { kind: "status", status: 502, when: "before" }],
  limited: [
    "429 with Retry-After: 5",
    { kind: "status", status: 429, retry_after_seconds: 5, when: "before" },
  ],
  slow: ["10 s of latency", { kind: "latency", ms: 10_000 }],
  malformed: ["Truncated JSON", { kind: "malformed" }],
  stall: ["No response", { kind: "stall" }],
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

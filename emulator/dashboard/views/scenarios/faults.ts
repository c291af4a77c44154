import type { Rule } from "../../api.js";
import { type Presets, presetText } from "../../parts/presets.js";

type RuleFault = NonNullable<Rule["fault"]>;

export const FAULTS: Presets<RuleFault["fault"]> = {
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
export function faultText(fault: RuleFault["fault"]): string {
  return presetText(FAULTS, fault);
}

/** The requests that faults apply to. */
export const REQUESTS: Presets<Pick<RuleFault, "method" | "path">> = {
  create: ["POST /task", { method: "POST", path: "/api/v1/task" }],
  read: ["GET /task/{task_id}", { method: "GET", path: "/api/v1/task/*" }],
  account: ["GET /account/*", { method: "GET", path: "/api/v1/account/*" }],
  audio: ["a download of audio", { path: "/audio/*" }],
  any: ["any request", {}],
};

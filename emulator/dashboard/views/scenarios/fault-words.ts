import type { Fault } from "../../client/client.js";

type Rule = Fault["rule"];

/** What can go wrong, in the words in which it is chosen. */
export const FAULT_KINDS: readonly { name: string; words: string; fault: Rule["fault"] }[] = [
  {
    name: "lost-answer",
    words: "The connection drops after the request was carried out",
    fault: { kind: "disconnect", when: "after" },
  },
  {
    name: "lost-request",
    words: "The connection drops before anything happens",
    fault: { kind: "disconnect", when: "before" },
  },
  {
    name: "error-after",
    words: "It is carried out, and answered with 500",
    fault: { kind: "status", status: 500, when: "after" },
  },
  { name: "error", words: "500 internal_error", fault: { kind: "status", status: 500, when: "before" } },
  {
    name: "bad-gateway",
    words: "502 upstream_provider_error",
    fault: { kind: "status", status: 502, when: "before" },
  },
  {
    name: "limited",
    words: "429, come back after 5 s",
    fault: { kind: "status", status: 429, retry_after_seconds: 5, when: "before" },
  },
  { name: "slow", words: "It takes 10 s longer", fault: { kind: "latency", ms: 10_000 } },
  { name: "malformed", words: "The answer's JSON is cut", fault: { kind: "malformed" } },
  { name: "stall", words: "No answer ever comes", fault: { kind: "stall" } },
];

export const TARGETS: readonly { name: string; words: string; target: Pick<Rule, "method" | "path"> }[] = [
  { name: "create", words: "Creating a task", target: { method: "POST", path: "/api/v1/task" } },
  { name: "read", words: "Reading a task", target: { method: "GET", path: "/api/v1/task/*" } },
  { name: "account", words: "Balance and usage", target: { method: "GET", path: "/api/v1/account/*" } },
  { name: "audio", words: "Downloading audio", target: { path: "/audio/*" } },
  { name: "any", words: "Any request", target: {} },
];

/** What waits for whom, and how often. */
export function describeFault({ rule, left }: Fault): { what: string; whom: string; often: string } {
  const fault = JSON.stringify(rule.fault);
  const { method, path } = rule;
  const target = TARGETS.find((each) => each.target.method === method && each.target.path === path);
  const chance = rule.probability === undefined ? "" : `, each with chance ${rule.probability}`;
  return {
    what: FAULT_KINDS.find((each) => JSON.stringify(each.fault) === fault)?.words ?? fault,
    whom: target?.words ?? `${method ?? "any method"} ${path ?? "any path"}`,
    often: (left === null ? "without end" : left === 1 ? "once more" : `${left} more times`) + chance,
  };
}

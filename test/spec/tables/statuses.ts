/** The fields that depend on the status, for each status (Resources: Task, Output wrapper). */
export const STATUS_FIELDS = [
  { status: "pending", error: "null", completedAt: "null", result: "null" },
  { status: "running", error: "null", completedAt: "null", result: "null" },
  { status: "success", error: "null", completedAt: "date-time", result: "filled" },
  { status: "failure", error: "set", completedAt: "date-time", result: "null" },
  { status: "timeout", error: "set", completedAt: "date-time", result: "null" },
] as const;

export type Credits = "frozen" | "settled" | "refunded";

/** The provider's report to the service, or that the task has timed out. */
export type Trigger = "queued" | "processing" | "completed" | "failed" | "older than an hour";

export interface TransitionRow {
  from: "pending" | "running" | "success" | "failure" | "timeout";
  trigger: Trigger;
  to: TransitionRow["from"];
  credits: Credits;
}

/**
 * States and transitions: the effect of a read on a task. By default, policy `late_success` makes a task `timeout`
 * after its task timeout, even if the provider finished in time.
 */
export const TRANSITIONS: readonly TransitionRow[] = [
  { from: "pending", trigger: "queued", to: "pending", credits: "frozen" },
  { from: "pending", trigger: "processing", to: "running", credits: "frozen" },
  { from: "pending", trigger: "completed", to: "success", credits: "settled" },
  { from: "pending", trigger: "failed", to: "failure", credits: "refunded" },
  { from: "pending", trigger: "older than an hour", to: "timeout", credits: "refunded" },
  { from: "running", trigger: "processing", to: "running", credits: "frozen" },
  { from: "running", trigger: "completed", to: "success", credits: "settled" },
  { from: "running", trigger: "failed", to: "failure", credits: "refunded" },
  { from: "running", trigger: "older than an hour", to: "timeout", credits: "refunded" },
  { from: "success", trigger: "completed", to: "success", credits: "settled" },
  { from: "success", trigger: "older than an hour", to: "success", credits: "settled" },
  { from: "failure", trigger: "failed", to: "failure", credits: "refunded" },
  { from: "failure", trigger: "older than an hour", to: "failure", credits: "refunded" },
  { from: "timeout", trigger: "older than an hour", to: "timeout", credits: "refunded" },
];

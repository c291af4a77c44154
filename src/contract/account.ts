/** The account's credits. */
export interface Balance {
  /** Spendable on new tasks. */
  available: number;
  /** Held for tasks in flight. */
  frozen: number;
  /** `available` and `frozen` together. */
  total: number;
  [field: string]: unknown;
}

/** What the account has used since it exists. */
export interface Usage {
  /** Tasks of every status. */
  tasks_created: number;
  /** The credits of all tasks together, failed and refunded ones included. */
  credits_used: number;
  /** The credits of all top-ups together. */
  credits_topped_up: number;
  [field: string]: unknown;
}

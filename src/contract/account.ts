/** The account's credits, as whole numbers: 1 credit is 0.01 USD. */
export interface Balance {
  /** Spendable on new tasks: one that costs more is refused with `InsufficientCreditsError`. */
  available: number;
  /** Held for tasks in flight, until each is settled or refunded. */
  frozen: number;
  /** `available` and `frozen` together. */
  total: number;
  /** What a later version of the service may add. */
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
  /** What a later version of the service may add. */
  [field: string]: unknown;
}

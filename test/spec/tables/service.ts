/** Every model, every task type, and the price of each pair in credits. */
export const MODELS = ["provider_a", "provider_b"] as const;

export const TASK_TYPES = ["music", "lyrics", "upload", "concat"] as const;

export const OFFERS = [
  { model: "provider_a", type: "music", credits: 10 },
  { model: "provider_a", type: "lyrics", credits: 5 },
  { model: "provider_a", type: "upload", credits: 1 },
  { model: "provider_a", type: "concat", credits: 5 },
  { model: "provider_b", type: "music", credits: 5 },
] as const;

export const NOT_OFFERED = [
  { model: "provider_b", type: "lyrics" },
  { model: "provider_b", type: "upload" },
  { model: "provider_b", type: "concat" },
] as const;

export const USD_PER_CREDIT = 0.01;

/** Limits, in the units in which the interface gives them. */
export const LIMITS = {
  requestsPerKeyAndWindow: 120,
  windowSeconds: 60,
  taskTimeoutHours: 1,
  shortestTaskSeconds: 30,
  longestTaskMinutes: 5,
  recommendedPollSeconds: { from: 5, to: 10 },
  shortestPollSeconds: 1,
  audioLifetimeDays: 7,
  requestIdCharacters: { from: 1, to: 128 },
} as const;

/** States and transitions: every status, and those that are final. */
export const STATUSES = ["pending", "running", "success", "failure", "timeout"] as const;

export const FINAL_STATUSES = ["success", "failure", "timeout"] as const;

export const OUTPUT_STATUSES = ["queued", "processing", "completed", "failed"] as const;

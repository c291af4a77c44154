const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The service's numbers (Limits), in milliseconds where they are times. */
export const LIMITS = {
  /** Requests that one key may send in one window, unless the service says otherwise. */
  requestsPerWindow: 120,
  windowMs: MINUTE,
  /** A task still open when it is older than this becomes `timeout`. */
  taskTimeoutMs: HOUR,
  /** How long tasks usually take. */
  typicalTaskMs: { shortest: 30 * SECOND, longest: 5 * MINUTE },
  /** One task is not polled more often than this. */
  shortestPollIntervalMs: SECOND,
  /** The pace of polling that the service recommends. */
  recommendedPollIntervalMs: { shortest: 5 * SECOND, longest: 10 * SECOND },
  /** How long an `audio_url` works after its task completed. */
  audioLifetimeMs: 7 * DAY,
  requestIdLength: { shortest: 1, longest: 128 },
} as const;

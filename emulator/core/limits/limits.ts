import * as z from "zod/mini";
import { LIMITS } from "../../../src/contract/wire.js";
import { numberBetween, wholeNumber } from "../options/numbers.js";
import { objectOf } from "../options/object-of.js";
import { parseOption } from "../options/parse-option.js";

/** The rate limit of every key. */
export interface Limits {
  /** Requests in one window, at least 1. @defaultValue 120 */
  requests: number;
  /** The length of a window, in seconds. @defaultValue 60 */
  windowSeconds: number;
}

export const DEFAULT_LIMITS: Limits = {
  requests: LIMITS.requestsPerWindow,
  windowSeconds: LIMITS.windowMs / 1000,
};

const limitsSchema = objectOf({
  requests: z.optional(wholeNumber(1, 1e9)),
  windowSeconds: z.optional(numberBetween(0.001, 1e6)),
});

/**
 * The limits with some of them changed.
 *
 * @throws RangeError that names the one that is wrong; the limits are then as they were.
 */
export function changeLimits(limits: Limits, changes: unknown): Limits {
  const { requests = limits.requests, windowSeconds = limits.windowSeconds } = parseOption(
    "limits",
    limitsSchema,
    changes,
  );
  return { requests, windowSeconds };
}

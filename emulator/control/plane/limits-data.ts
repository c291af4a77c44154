import * as z from "zod/mini";
import { numberBetween, objectOf, wholeNumber } from "../../core/checks.js";
import type { Limits } from "../../core/rate-limit.js";

/** Limits as the control plane is given them: some or all. */
export const limitsSchema = objectOf({
  requests: z.optional(wholeNumber(1, 1e9)),
  window_seconds: z.optional(numberBetween(0.001, 1e6)),
});

/** The same as the emulator's methods take them. */
export function limitsOption({ requests, window_seconds: windowSeconds }: z.infer<typeof limitsSchema>) {
  return {
    ...(requests !== undefined && { requests }),
    ...(windowSeconds !== undefined && { windowSeconds }),
  };
}

/** Limits as the control plane answers them. */
export function limitsData({ requests, windowSeconds }: Limits) {
  return { requests, window_seconds: windowSeconds };
}

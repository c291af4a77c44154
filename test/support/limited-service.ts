import { limited } from "./responses.js";
import { createWorld, type SeenRequest } from "./world.js";

/** A client of a service with such a limit. */
export function createLimitedWorld(
  answer: (request: SeenRequest, index: number) => Response,
  size?: Parameters<typeof createRateLimit>[0],
  options?: Parameters<typeof createWorld>[1],
) {
  const { count, refused } = createRateLimit(size);
  return {
    ...createWorld((request, index) => count(request, () => answer(request, index)), options),
    refused,
  };
}

/** A rate limit as the interface states it: a number of requests in a window that begins with the first one. */
export function createRateLimit({ requests = 120, windowMs = 60_000 } = {}) {
  let windowEnd = Number.NEGATIVE_INFINITY;
  let used = 0;
  let refused = 0;

  return {
    /** The number of requests beyond the limit. */
    refused: () => refused,
    /** Counts a request. Returns a 429 beyond the limit, and otherwise the result of `answer`. */
    count({ at }: SeenRequest, answer: () => Response): Response {
      if (at >= windowEnd) {
        windowEnd = at + windowMs;
        used = 0;
      }
      if (used >= requests) {
        refused++;
        return limited(Math.ceil((windowEnd - at) / 1000));
      }
      used++;
      const response = answer();
      response.headers.set("X-RateLimit-Remaining", String(requests - used));
      return response;
    },
  };
}

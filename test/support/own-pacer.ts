import type { PacedRequest, Pacer, RateLimitReport } from "async-music";

/** A custom pacer that admits every request. It records requests and reports. */
export function createOwnPacer() {
  const [asked, told]: [PacedRequest[], RateLimitReport[]] = [[], []];
  const pacer: Pacer = {
    async admit(request) {
      asked.push(request);
      return true;
    },
    report: (report) => void told.push(report),
    learn() {},
    rateLimit: () => ({ limit: null, remaining: null, resetAt: null, heldUntil: null }),
  };
  return { pacer, asked, told };
}

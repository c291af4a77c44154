import type { PacedRequest, Pacer, RateLimitReport } from "async-music";

/** A pacer that lets everything leave, and keeps what it was told. */
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

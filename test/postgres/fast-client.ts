import { setTimeout } from "node:timers/promises";
import { AsyncMusic, type Pacer } from "../../src/index.js";

const start = Date.now();

/** The service of this test has no rate limit. */
const pacer: Pacer = {
  admit: async () => true,
  report() {},
  learn() {},
  rateLimit: () => ({ limit: null, remaining: null, resetAt: null, heldUntil: null }),
};

/** The speed of a client whose orders must all succeed: at 100, a machine that stalls for 0.6 s exceeds the limit before a POST. */
export const PATIENT = 10;

/** A client that waits a hundredth of the usual time for its songs, or another part of it. */
export function createFastClient(baseUrl: string, apiKey: string, speed = 100): AsyncMusic {
  const clock = {
    now: () => start + speed * (Date.now() - start),
    sleep: (ms: number, signal?: AbortSignal) => setTimeout(ms / speed, undefined, { signal }),
  };
  return new AsyncMusic({ baseUrl, apiKey, pacer, clock });
}

export function requestOf(name: string) {
  return { model: "provider_b", task_type: "music", input: { prompt: name } } as const;
}

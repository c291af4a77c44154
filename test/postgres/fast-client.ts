import { setTimeout } from "node:timers/promises";
import { AsyncMusic, type Pacer } from "../../src/index.js";

const SPEED = 100;
const start = Date.now();

/** The service of this test has no rate limit. */
const pacer: Pacer = {
  admit: async () => true,
  report() {},
  learn() {},
  rateLimit: () => ({ limit: null, remaining: null, resetAt: null, heldUntil: null }),
};

/** A client that waits a hundredth of the usual time for its songs. */
export function createFastClient(baseUrl: string, apiKey: string): AsyncMusic {
  const clock = {
    now: () => start + SPEED * (Date.now() - start),
    sleep: (ms: number, signal?: AbortSignal) => setTimeout(ms / SPEED, undefined, { signal }),
  };
  return new AsyncMusic({ baseUrl, apiKey, pacer, clock });
}

export function requestOf(name: string) {
  return { model: "provider_b", task_type: "music", input: { prompt: name } } as const;
}

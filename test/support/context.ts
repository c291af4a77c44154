import { RecentIds } from "../../src/http/attempt.js";
import type { Context } from "../../src/http/context.js";
import { createRedactor } from "../../src/http/redactor.js";
import { createEmitter, createTrace } from "../../src/http/telemetry.js";
import { createOwnPacer } from "./own-pacer.js";
import { createTestClock } from "./test-clock.js";
import { API_KEY } from "./world.js";

/** A context of one client, for the functions below it: no retries, a clock of its own, and a pacer that admits everything. */
export function createContext(fields: Partial<Context> = {}): Context {
  return {
    baseUrl: "https://music.example",
    apiKey: API_KEY,
    fetch: async () => new Response("{}"),
    timeoutMs: 30_000,
    maxRetries: 0,
    retryBudgetMs: 0,
    clock: createTestClock(),
    random: () => 0.5,
    pacer: createOwnPacer().pacer,
    redactor: createRedactor(API_KEY),
    ids: { requests: new RecentIds(), tasks: new RecentIds() },
    emitter: createEmitter(),
    trace: createTrace(undefined, String),
    warn: undefined,
    ...fields,
  };
}

import type { Fetch } from "../contract/fetch.js";
import type { Advice } from "../contract/message.js";
import type { Redactor } from "../errors/redactor.js";
import type { Pacer, RequestKind } from "../rate-limit/pacer.js";
import type { Clock } from "../time/clock.js";
import type { Random } from "../time/random.js";
import type { Emitter } from "./events.js";
import type { RecentIds } from "./ids.js";
import type { LogError, Warn } from "./logging.js";
import type { Trace } from "./tracing.js";

export interface Context {
  readonly baseUrl: string;
  /** The key, or a function that reads it for each attempt: see `readApiKey`. */
  readonly apiKey: string | (() => Promise<string>);
  /** `undefined`: the global `fetch`, looked up at each request. */
  readonly fetch: Fetch | undefined;
  /** The defaults of a call that sets none of its own. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly retryBudgetMs: number;
  readonly validateRequests: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly pacer: Pacer;
  readonly redactor: Redactor;
  /** The IDs by which a client recognizes a response that belongs to another of its requests. */
  readonly ids: {
    /** The `X-Request-Id` of each request that the client sent. */
    readonly requests: RecentIds;
    /** The tasks that the client received as responses to its submissions. */
    readonly tasks: RecentIds;
  };
  /** The service's clock, as responses show it. */
  readonly service: {
    /** How far it is ahead of the client's clock at least, in milliseconds; `null` before the first response with a `Date`. */
    aheadMs: number | null;
    /** The hold of the last 429 that stated no wait, in milliseconds, and when it began; 0 after any other response. */
    holdMs: number;
    heldAt: number;
  };
  readonly emitter: Emitter;
  readonly trace: Trace;
  /** `undefined`: warnings are not logged. */
  readonly warn: Warn | undefined;
  readonly logError: LogError;
}

/** One logical request, however many attempts it takes. */
export interface Call {
  method: "GET" | "POST";
  path: string;
  kind: RequestKind;
  tenant?: string | undefined;
  /** The order of a create, which its error names. */
  journalKey?: string | undefined;
  body?: string;
  /** The verb phrase after "Failed to " in messages. */
  purpose: string;
  /** Awaited after the admission, before an attempt is sent. Throwing cancels the attempt. */
  beforeSending?: (() => void | Promise<void>) | undefined;
  /** Taken before each attempt is sent, after `beforeSending`; released if the attempt certainly created no task. */
  claim?: Claim | undefined;
  /** Called when the rate limit delays an attempt, with the expected end in milliseconds since the epoch; with `null` at its end. */
  onDelayed?: ((until: number | null) => void) | undefined;
  /** Makes the call survive an abort: an attempt that was sent is completed; waits before and between attempts still abort. */
  inFlight?: InFlight | undefined;
  taskId?: string;
  /** What the caller can do after a failure. */
  advice?(): Advice;
  adviceIfNotFound?(): string;
}

/**
 * What stands in a journal or in a budget while an attempt may be in flight: an `IntentClaim`, which also takes and releases the
 * reservation of a budget, or a `BudgetHold` without a journal.
 */
export interface Claim {
  /** If it throws, the attempt is not sent. */
  take(): Promise<void>;
  /** Must not throw. */
  release(why: NoTask): Promise<void>;
}

/** Why an attempt certainly created no task. */
export type NoTask = "not_sent" | "refused";

/** Whether a call that survives an abort has an attempt in flight. */
export interface InFlight {
  /** The call, from the sending of an attempt to its outcome; then `null`; `undefined` while certainly no task was created. */
  call: Call | null | undefined;
}

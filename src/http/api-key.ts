import { InvalidOptionError, invalidOption, NOTHING_SENT, shown, wrongValue } from "../errors/base.js";
import { ConnectionError } from "../errors/connection-errors.js";
import type { Redactor } from "../errors/redactor.js";
import { isReasonOf } from "../time/abort.js";
import { Deadline } from "../time/deadline.js";
import type { Call, Context } from "./context.js";
import { failureParts } from "./failure.js";
import type { FailedAttempt } from "./outcome.js";
import type { RequestOptions } from "./request-options.js";

/** An API key, or a function that returns the current one. */
export type ApiKey = string | (() => string | PromiseLike<string>);

type Limits = Pick<RequestOptions, "timeoutMs" | "signal">;

/**
 * The key of a client. `current` is for its pacer: it resolves with the key of the last attempt, and reads it before the first
 * one.
 *
 * @throws `InvalidOptionError` the value is neither a key nor a function
 */
export function createKeySource(
  given: unknown,
  redactor: Redactor,
): { apiKey: Context["apiKey"]; current: () => Promise<string> } {
  if (given === undefined)
    throw invalidOption("apiKey", "Missing API key", "Pass `apiKey` or set ASYNC_MUSIC_API_KEY.");
  if (typeof given !== "function") {
    const key = checkApiKey(given);
    return { apiKey: key, current: async () => key };
  }
  let last: string | undefined;
  const apiKey = async () => {
    const value: unknown = await given();
    // Before the check, whose message must not show it either.
    if (typeof value === "string") redactor.learn(value.trim());
    last = checkApiKey(value);
    return last;
  };
  return { apiKey, current: async () => last ?? apiKey() };
}

/** The message never contains the key. */
function checkApiKey(value: unknown): string {
  // If the two were swapped, the error must not be about `baseUrl`: it would show the key.
  if (typeof value === "string" && /^https?:\/\//i.test(value))
    throw invalidOption("apiKey", [
      { name: "apiKey" },
      " looks like a URL. Did you swap it with ",
      { name: "baseUrl" },
      "?",
    ]);
  if (typeof value === "string" && /^[\x21-\x7e]+$/.test(value)) return value;
  // A key that is a number must not be shown.
  const got = typeof value === "string" ? shown(value) : typeof value;
  throw wrongValue("apiKey", "be a string of visible ASCII characters without spaces", got);
}

/**
 * Reads the key for an attempt that was admitted. `timeoutMs` limits the reading, apart from the attempt. If it fails, nothing was
 * sent: a read is tried again, as after a failed connection, and a POST is not.
 */
export async function readApiKey(
  context: Pick<Context, "timeoutMs" | "redactor">,
  read: () => Promise<string>,
  call: Call,
  limits: Limits,
  requestId: string,
): Promise<string | FailedAttempt> {
  let timeoutMs: number | undefined;
  try {
    return await within(read, context, limits, (limitMs) => {
      timeoutMs = limitMs;
    });
  } catch (error) {
    if (isReasonOf(limits.signal, error)) return { error, mayResend: false };
    const { redactor } = context;
    const { taskId } = call;
    if (error instanceof InvalidOptionError) {
      const parts = { ...error.parts, ...call.advice?.(), facts: [NOTHING_SENT] };
      return { error: new InvalidOptionError(error.option, parts, { taskId }), mayResend: false };
    }
    const failure = timeoutMs === undefined ? "threw; see `cause`" : `did not return within ${timeoutMs} ms`;
    const parts = failureParts(call, `the function \`apiKey\` ${failure}`, {
      ...call.advice?.(),
      facts: [NOTHING_SENT],
    });
    const details = { requestId: redactor.text(requestId), taskId, cause: redactor.cause(error) };
    return { error: new ConnectionError(parts, details), mayResend: call.method === "GET" };
  }
}

/** Whether the key is no longer the one that was refused. A key that can't be read is not. */
export async function hasNewKey(context: Context, refused: string, limits: Limits): Promise<boolean> {
  const { apiKey } = context;
  if (typeof apiKey === "string") return false;
  const current = await within(apiKey, context, limits).catch(() => refused);
  return current !== refused;
}

/** Reads the key within a limit of real time, and until an abort, whichever of both the function heeds. */
async function within(
  read: () => Promise<string>,
  { timeoutMs: usualMs }: Pick<Context, "timeoutMs">,
  { timeoutMs = usualMs, signal }: Limits,
  onTimeout?: (timeoutMs: number) => void,
): Promise<string> {
  const deadline = new Deadline(timeoutMs, signal);
  try {
    deadline.signal.throwIfAborted();
    return await Promise.race([read(), deadline.ended]);
  } catch (error) {
    if (deadline.timedOut()) onTimeout?.(timeoutMs);
    throw error;
  } finally {
    deadline.clear();
  }
}

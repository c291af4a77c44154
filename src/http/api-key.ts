import { InvalidOptionError, invalidOption, NOTHING_SENT, shown, wrongValue } from "../errors/base.js";
import { ConnectionError } from "../errors/connection-errors.js";
import type { Redactor } from "../errors/redactor.js";
import { isReasonOf } from "../time/abort.js";
import { within } from "../time/deadline.js";
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
  const { timeoutMs = context.timeoutMs, signal } = limits;
  let failure = "threw; see `cause`";
  const timedOut = (error: unknown) => {
    failure = `did not return within ${timeoutMs} ms`;
    return error;
  };
  try {
    return await within(timeoutMs, read, signal, timedOut);
  } catch (error) {
    if (isReasonOf(signal, error)) return { error, mayResend: false };
    const { redactor } = context;
    const { taskId } = call;
    if (error instanceof InvalidOptionError) {
      const parts = { ...error.parts, ...call.advice?.(), facts: [NOTHING_SENT] };
      return { error: new InvalidOptionError(error.option, parts, { taskId }), mayResend: false };
    }
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
  const { timeoutMs = context.timeoutMs, signal } = limits;
  const current = await within(timeoutMs, apiKey, signal).catch(() => refused);
  return current !== refused;
}

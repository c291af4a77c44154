import type { Call } from "./call.js";

/** The one grammar of messages: what failed, why, what to do, and the name of the request. */
export function failureMessage(call: Call, reason: string, requestId: string, advice = call.advice): string {
  return `Failed to ${call.purpose}: ${reason}.${advice === undefined ? "" : ` ${advice}`} (request id ${requestId})`;
}

/** What failed and why: a message without what to do, and without the name of the request. */
export function failureOf(message: string): string {
  return /^.*?\.(?= )/s.exec(message)?.[0] ?? message;
}

import { DEEPEST_NESTING, nestsDeeper } from "../../src/contract/nesting.js";
import { ENDPOINTS } from "../../src/contract/service.js";
import type { Core } from "../core/core.js";
import type { Submission } from "../core/log/audit.js";
import { fingerprintOfSubmission, fingerprintOfText } from "../core/log/fingerprint.js";
import type { HttpRequest } from "./messages.js";

export function isSubmission({ method, path }: HttpRequest): boolean {
  return path === ENDPOINTS.createTask.path && method === ENDPOINTS.createTask.method;
}

/** Its fingerprint is computed once, when it is first needed. */
export function submissionIn(
  accountId: string,
  request: HttpRequest,
  requestId: string,
  json: unknown,
): Submission {
  const { body, arrival } = request;
  let computed: string | undefined;
  const fingerprint = () => {
    if (body === "too_large") computed ??= `${accountId} unread ${arrival.ordinal}`;
    else if (json !== undefined && !nestsDeeper(json, DEEPEST_NESTING))
      computed ??= fingerprintOfSubmission(accountId, json);
    else computed ??= `${accountId} ${body === null ? "" : fingerprintOfText(decoder.decode(body))}`;
    return computed;
  };
  return { fingerprint, requestId, isAborted: () => request.isAborted };
}

const decoder = new TextDecoder();

/** An equal submission that a fault delays, although its caller has aborted it. */
export function findAbandoned({ delayedSubmissions }: Core, { fingerprint }: Submission): Submission | null {
  for (const each of delayedSubmissions)
    if (each.isAborted() && each.fingerprint() === fingerprint()) return each;
  return null;
}

import { ENDPOINTS, HEADERS } from "../../src/contract/wire.js";
import { fingerprintOfSubmission, fingerprintOfText, type Submission } from "../core/audit.js";
import type { World } from "../core/state/world.js";
import type { Exchange } from "./exchange.js";
import { isTooDeep, parseJson } from "./json-body.js";

const decoder = new TextDecoder();

/** The submission that an exchange is; `null` where it is none, or comes with no key that there ever was. */
export function submissionOf({ index }: World, exchange: Exchange, requestId: string): Submission | null {
  const { method, path, headers, hasLeft } = exchange;
  if (path !== ENDPOINTS.createTask.path || method !== ENDPOINTS.createTask.method) return null;
  const sender = index.keys.get(headers.get(HEADERS.apiKey) ?? "");
  if (sender === undefined) return null;
  let known: string | undefined;
  const fingerprint = () => {
    known ??= sameBody(sender.account.id, exchange);
    return known;
  };
  return { fingerprint, requestId, hasLeft };
}

/** By what a body is known again: what it says as JSON, else its text. One too large to be read is like no other. */
function sameBody(accountId: string, { body, arrival }: Exchange): string {
  if (body === "too_large") return `${accountId} unread ${arrival.ordinal}`;
  const json = parseJson(body);
  if (json !== null && !isTooDeep(json.value)) return fingerprintOfSubmission(accountId, json.value);
  return `${accountId} ${body === null ? "" : fingerprintOfText(decoder.decode(body))}`;
}

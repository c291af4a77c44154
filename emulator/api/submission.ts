import { ENDPOINTS, HEADERS } from "../../src/contract/endpoint.js";
import type { SubmissionUnderWay } from "../audit/submissions-under-way.js";
import type { World } from "../state/world.js";
import type { Exchange } from "./exchange.js";
import { fingerprintOf } from "./json-body.js";

/** What is asked for with a POST, by the mark under which the audit knows it again. */
export interface Submission extends SubmissionUnderWay {
  /** The mark of its body. */
  readonly fingerprint: string;
}

/** The submission that an exchange is; `null` where it is none, or comes with no key that there ever was. */
export function submissionOf({ index }: World, exchange: Exchange, requestId: string): Submission | null {
  const { method, path, headers, hasLeft } = exchange;
  if (path !== ENDPOINTS.createTask.path || method !== ENDPOINTS.createTask.method) return null;
  const sender = index.keys.get(headers.get(HEADERS.apiKey) ?? "");
  if (sender === undefined) return null;
  const fingerprint = fingerprintOf(exchange);
  return { fingerprint, same: `${sender.account.id} ${fingerprint}`, requestId, hasLeft };
}

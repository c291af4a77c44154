import { ENDPOINTS, HEADERS } from "../../src/contract/endpoint.js";
import type { SubmissionUnderWay } from "../audit/submissions-under-way.js";
import type { World } from "../state/world.js";
import type { Exchange } from "./exchange.js";
import { type MarkedBody, markBody } from "./json-body.js";

/** What is asked for with a POST, by the mark under which the audit knows it again. */
export interface Submission extends SubmissionUnderWay, MarkedBody {}

/** The submission that an exchange is; `null` where it is none, or comes with no key that there ever was. */
export function submissionOf({ index }: World, exchange: Exchange, requestId: string): Submission | null {
  const { method, path, headers, body, hasLeft } = exchange;
  if (path !== ENDPOINTS.createTask.path || method !== ENDPOINTS.createTask.method) return null;
  const sender = index.keys.get(headers.get(HEADERS.apiKey) ?? "");
  if (sender === undefined) return null;
  const marked = markBody(body);
  return { ...marked, same: `${sender.account.id} ${marked.fingerprint}`, requestId, hasLeft };
}

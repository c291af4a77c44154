import { isRecord } from "../../../src/contract/service.js";
import { parseBody } from "../json-body.js";
import { bytesOf, type HttpOutcome, jsonResponse } from "../messages.js";
import type { RequestContext } from "../request-context.js";

/** The response as the later version of the service writes it that the emulator plays, if it plays one. */
export function rewriteForFuture({ core, request }: RequestContext, outcome: HttpOutcome): HttpOutcome {
  const { future } = core;
  if (future === null || typeof outcome === "string" || typeof outcome.body !== "string") return outcome;
  if (request.site !== "service" || request.method === "HEAD" || request.path === "/openapi.json")
    return outcome;
  const body = parseBody(bytesOf(outcome.body));
  // A body that was cut stays as it is.
  if (!isRecord(body)) return outcome;
  const headers = { ...outcome.headers };
  future.rewrite(body, headers);
  const rewritten = jsonResponse(outcome.status, body);
  headers["Content-Length"] = rewritten.headers["Content-Length"] ?? "";
  const { error_code: code = null } = body;
  return { ...outcome, headers, body: rewritten.body, errorCode: code === null ? null : String(code) };
}

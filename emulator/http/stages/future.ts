import { createResponse, type HttpOutcome } from "../messages.js";
import type { RequestContext } from "../request-context.js";

/** The response as the later version of the service writes it that the emulator plays, if it plays one. */
export function rewriteForFuture({ core, request }: RequestContext, outcome: HttpOutcome): HttpOutcome {
  const { future } = core;
  if (future === null || typeof outcome === "string" || typeof outcome.body !== "string") return outcome;
  if (request.site !== "service" || request.method === "HEAD" || request.path === "/openapi.json")
    return outcome;
  const headers = { ...outcome.headers };
  const rewritten = future.rewrite(outcome.body, headers);
  if (rewritten === null) return outcome;
  const { headers: length } = createResponse(outcome.status, "application/json", rewritten.text);
  headers["Content-Length"] = length["Content-Length"] ?? "";
  return { ...outcome, headers, body: rewritten.text, errorCode: rewritten.errorCode };
}

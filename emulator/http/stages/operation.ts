import { createResponse, type HttpResponse } from "../messages.js";
import { Refusal } from "../refusal.js";
import type { RequestContext } from "../request-context.js";
import { findRoute } from "../route.js";
import { ROUTES } from "../routes.js";
import { countRequest } from "./rate-limit.js";

/** Finds the route: an unknown path, then a wrong method. With a valid key, such a request counts, too. */
export function requireRoute(context: RequestContext): undefined {
  const { site } = context.request;
  const found = findRoute(ROUTES[site], context.request, site === "service" ? "/openapi.json" : null);
  if (found instanceof Refusal) {
    countRequest(context);
    throw found;
  }
  context.route = found.route;
  context.params = found.params;
}

/** Runs the operation of the route, which refuses or responds. */
export function runOperation(context: RequestContext): HttpResponse | Promise<HttpResponse> | undefined {
  const { route, caller } = context;
  if (route?.access === "open") return route.run(context).then((response) => context.complete(response));
  if (route === null || caller === null) return;
  const { status } = route;
  const data = route.run(context, caller.account);
  const body = typeof data === "string" ? data : JSON.stringify({ code: status, data });
  return context.complete(createResponse(status, "application/json", body));
}

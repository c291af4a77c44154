import * as z from "zod/mini";
import { DEEPEST_NESTING } from "../../src/contract/nesting.js";
import { isRecord } from "../../src/contract/service.js";
import { adviceForMistake, InvalidValueError, oneOf, text, UnknownIdError } from "../core/checks.js";
import { BillingIncompleteError } from "../core/payments/payments.js";
import { accessRefusal } from "../http/control-access.js";
import { requireJson } from "../http/json-body.js";
import {
  CONTROL_PLANE,
  emptyResponse,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
} from "../http/messages.js";
import { Refusal, refusalResponse } from "../http/refusal.js";
import { findRoute, patternOf } from "../http/route.js";
import { accountMethods } from "./account-methods.js";
import { controlDocument } from "./describe.js";
import { exchangeMethods } from "./exchange-methods.js";
import { type AnyMethod, type MethodContext, method, scopeOf } from "./method.js";
import { observerMethods } from "./observer-methods.js";
import { serviceMethods } from "./service-methods.js";

/** A snapshot contains inputs, and is itself a few levels deep. */
const DEEPEST_BODY = DEEPEST_NESTING + 100;

export const METHODS: readonly AnyMethod[] = [
  ...Object.values(serviceMethods),
  ...Object.values(accountMethods),
  ...Object.values(observerMethods),
  ...Object.values(exchangeMethods),
  method("GET /health", {
    summary: "Check that the emulator accepts requests. Every machine may call it.",
    isOpen: true,
    response: z.object({ status: z.literal("ok"), clock: oneOf("real", "virtual") }),
    run: ({ core }) => ({ status: "ok", clock: core.clock.mode }) as const,
  }),
  method("GET /openapi.json", {
    summary: "Read this description.",
    response: z.looseObject({ openapi: text }),
    run: ({ origins }) => controlDocument(METHODS, origins.service),
  }),
];

const CONTROL_ROUTES = METHODS.flatMap((definition) => {
  const [verb = "", path = ""] = definition.route.split(" ");
  // Health checks such as `wget --spider` send `HEAD`.
  const verbs = definition.isOpen ? [verb, "HEAD"] : [verb];
  return verbs.map((method) => ({ method, pattern: patternOf(path), definition }));
});

/** Responds to a call of the control plane. A call needs no key, is not logged, and triggers no fault. */
export async function handleControl(context: MethodContext, request: HttpRequest): Promise<HttpResponse> {
  try {
    return await callMethod({ ...context, origins: request.origins }, request);
  } catch (error) {
    return refusalResponse(refusalOf(error), context.core.state.policy);
  }
}

async function callMethod(context: MethodContext, request: HttpRequest): Promise<HttpResponse> {
  const target = { method: request.method, path: request.path.slice(CONTROL_PLANE.length) };
  const found = findRoute(CONTROL_ROUTES, target, `${CONTROL_PLANE}/openapi.json`);
  const isOpen = "route" in found && found.route.definition.isOpen;
  const refusal = isOpen ? null : accessRefusal(request);
  if (refusal !== null) throw new Refusal("foreign_origin", refusal);
  if (found instanceof Refusal) throw found;
  const { params } = found;
  const { definition: method } = found.route;
  const accountId = readQuery(request, method);
  const body = readBody(request, "body" in method && method.body !== null);
  if ("respond" in method) {
    const account = method.scoped ? scopeOf(context, body, accountId) : null;
    return method.respond(context, params, request, account);
  }
  const result = await method.run(context, params, body, accountId);
  const response = jsonResponse(method.status, result ?? null);
  return method.response === null ? emptyResponse(response) : response;
}

/** Returns `account_id`. Refuses any other parameter: if it were ignored, the call would apply to all accounts. */
function readQuery({ query }: HttpRequest, { scoped = false, isOpen }: AnyMethod): string | undefined {
  if (isOpen) return undefined;
  const params = new URLSearchParams(query);
  const unknown = [...params.keys()].find((name) => !scoped || name !== "account_id");
  if (unknown !== undefined) {
    const advice = scoped
      ? adviceForMistake("parameter", unknown, ["account_id"])
      : "This call has no parameters.";
    throw new Refusal("invalid_request_body", `Unknown query parameter \`${unknown}\`. ${advice}`);
  }
  const [accountId, another] = params.getAll("account_id");
  if (another !== undefined) throw new Refusal("invalid_request_body", "Pass `account_id` once.");
  return accountId;
}

/**
 * Returns the JSON of the body; a missing one is the same as `{}`. Any body must have the content type of JSON, even if the
 * method takes none: for other types, browsers send no CORS preflight.
 */
function readBody(request: HttpRequest, takesBody: boolean): unknown {
  const { body, headers } = request;
  const isEmpty = body === null || (body !== "too_large" && body.byteLength === 0);
  const canBeEmpty = /^(application\/json\b.*)?$/i.test(headers.get("Content-Type") ?? "");
  const value = isEmpty && canBeEmpty ? {} : requireJson(request, undefined, DEEPEST_BODY);
  if (takesBody) return value;
  if (isRecord(value) && Object.keys(value).length === 0) return undefined;
  throw new Refusal("invalid_request_body", "This call takes no body. Omit it, or send {}.");
}

/** The refusal for an error of a method. Returns any other error unchanged, since it is a defect of the emulator. */
function refusalOf(error: unknown): unknown {
  if (error instanceof BillingIncompleteError) return new Refusal("billing_incomplete", error.message);
  if (error instanceof UnknownIdError) return new Refusal("not_found", error.message);
  if (error instanceof InvalidValueError)
    return new Refusal("invalid_request_body", error.message, { issues: error.issues });
  if (error instanceof RangeError) return new Refusal("invalid_request_body", error.message);
  return error;
}

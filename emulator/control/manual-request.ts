import * as z from "zod/mini";
import { API_PREFIX, HEADERS } from "../../src/contract/service.js";
import type { StoredAccount } from "../core/accounts.js";
import { issueSchema, list, objectOf, oneOf, text } from "../core/checks.js";
import { findViolation } from "../core/policy.js";
import { outcomeSchema } from "../core/providers.js";
import { LARGEST_BODY_BYTES } from "../core/ranges.js";
import { parseBody } from "../http/json-body.js";
import { bytesOf, type HttpOutcome, type HttpRequest } from "../http/messages.js";
import { OUTCOME_HEADER } from "../http/operations/tasks.js";
import { handleRequest, registerArrival } from "../http/pipeline.js";
import type { MethodContext } from "./method.js";

/** A request of the API that a caller of the control plane makes. */
export const sentRequestSchema = objectOf({
  method: oneOf("GET", "POST"),
  path: text.check(z.regex(new RegExp(`^${API_PREFIX}/[^?#]+$`), `begin with ${API_PREFIX}/`)),
  body: z.optional(z.unknown()),
  outcome: z.optional(outcomeSchema),
});

type ManualRequest = z.output<typeof sentRequestSchema>;

export const sentResponseSchema = z.object({
  ended: oneOf("response", "disconnect", "stall"),
  /** Null without a response, like all below. */
  status: z.nullable(z.int()),
  headers: z.nullable(z.record(text, text)),
  body: z.unknown(),
  /** The fields that are wrong, if the API refused a task. */
  issues: list(issueSchema),
});

/** Sends the API a request with a key of the account. The audit ignores it. */
export async function sendManually(context: MethodContext, account: StoredAccount, request: ManualRequest) {
  const { method, path, body, outcome } = request;
  const key = account.keys.find(({ disabled }) => !disabled);
  if (key === undefined) {
    throw new RangeError("The account has no enabled API key. Create or enable one.");
  }
  const headers = new Headers({ [HEADERS.apiKey]: key.value, "Content-Type": "application/json" });
  // A header value must be ASCII.
  const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  if (outcome !== undefined)
    headers.set(OUTCOME_HEADER, JSON.stringify(outcome).replaceAll(/[^ -~]/g, escaped));
  const { core, origins } = context;
  const head = {
    site: "service",
    path,
    query: "",
    method,
    headers,
    origins,
    isManual: true,
    isAborted: false,
  } as const;
  const sent = await handleRequest(context, {
    ...head,
    arrival: registerArrival(core, head),
    body: body === undefined ? null : bodyOf(body),
  });
  const violation =
    typeof sent === "object" && sent.errorCode !== null
      ? findViolation(body, account.policy ?? core.state.policy)
      : null;
  const isRefused = typeof sent === "object" && sent.errorCode === violation?.errorCode;
  return { ...sentResponse(sent), issues: isRefused ? (violation?.issues ?? []) : [] };
}

function bodyOf(json: unknown): HttpRequest["body"] {
  const body = new TextEncoder().encode(JSON.stringify(json));
  return body.byteLength > LARGEST_BODY_BYTES ? "too_large" : body;
}

function sentResponse(outcome: HttpOutcome): Omit<z.output<typeof sentResponseSchema>, "issues"> {
  if (typeof outcome === "string") return { ended: outcome, status: null, headers: null, body: null };
  const { status, headers, body, breaksAfterBytes } = outcome;
  if (breaksAfterBytes === 0) return { ended: "disconnect", status: null, headers: null, body: null };
  const received = bytesOf(body).subarray(0, breaksAfterBytes);
  const json = parseBody(received);
  return { ended: "response", status, headers, body: json === undefined ? decoder.decode(received) : json };
}

const decoder = new TextDecoder();

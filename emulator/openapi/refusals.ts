import { ERROR_STATUSES } from "../../src/contract/wire.js";
import { reference, type Schema } from "./schema.js";

/** Codes whose status the interface does not show. */
const CODES_OF_ANY_STATUS = codesOf(null);

/** The error answers, by the name under which operations refer to them. */
const REFUSALS = {
  BadRequest: {
    status: 400,
    description: "The request is not one that the service takes. Nothing was done.",
  },
  Unauthorized: { status: 401, description: "There is no key, or none that is good." },
  PaymentRequired: { status: 402, description: "Too few credits are free. Nothing was done." },
  Forbidden: { status: 403, description: "The account may not create tasks. Nothing was done." },
  NotFound: { status: 404, description: "The account has no such task." },
  TooManyRequests: { status: 429, description: "The key has no requests left for now. Nothing was done." },
  InternalError: { status: 500, description: "Something broke inside. Of a POST, the outcome is unknown." },
  BadGateway: { status: 502, description: "The provider failed. Of a POST, the outcome is unknown." },
} as const;

type RefusalName = keyof typeof REFUSALS;
type Status = (typeof REFUSALS)[RefusalName]["status"];

/** What an operation answers when it refuses, by status. */
export function refusalsOf(statuses: readonly Status[]) {
  const named = Object.entries(REFUSALS).filter(([, { status }]) => statuses.includes(status));
  return Object.fromEntries(
    named.map(([name, { status }]) => [String(status), reference("responses", name)]),
  );
}

export function refusalResponses() {
  const named = Object.entries(REFUSALS).map(([name, refusal]) => [name, response(refusal)] as const);
  return { ...Object.fromEntries(named), AudioFormatRefused: AUDIO_FORMAT_REFUSED };
}

/** The error body. */
export function errorSchemas(): Record<string, Schema> {
  const code = { type: "integer", minimum: 400, maximum: 599, description: "The HTTP status once more." };
  const errorCode = { type: "string", description: "What programs tell errors apart by." };
  const message = { type: "string", description: "What people read; the wording may change." };
  const wait = { type: "integer", minimum: 0, description: "Seconds until the next try." };
  const required = ["code", "error_code", "message"];
  return {
    Error: { type: "object", required, properties: { code, error_code: errorCode, message } },
    RateLimitError: {
      type: "object",
      required: [...required, "retry_after_seconds"],
      properties: { code, error_code: errorCode, message, retry_after_seconds: wait },
    },
  };
}

/** Answers to which the interface gives no status: it may be 400 or any other. */
const AUDIO_FORMAT_REFUSED = {
  description:
    "The asked audio format is none, or can't be had now; the status is left open. Nothing was done.",
  headers: commonHeaders(),
  content: json(withCodes("Error", CODES_OF_ANY_STATUS)),
};

/** The headers of every answer. */
export function commonHeaders() {
  return {
    "X-Request-Id": reference("headers", "X-Request-Id"),
    "X-RateLimit-Remaining": reference("headers", "X-RateLimit-Remaining"),
  };
}

function response({ status, description }: { status: Status; description: string }) {
  const isLimit = status === 429;
  const codes = status === 400 ? [...codesOf(status), ...CODES_OF_ANY_STATUS] : codesOf(status);
  const schema = withCodes(isLimit ? "RateLimitError" : "Error", codes, status);
  const wait = isLimit ? { "Retry-After": reference("headers", "Retry-After") } : {};
  return { description, headers: { ...commonHeaders(), ...wait }, content: json(schema) };
}

function withCodes(name: "Error" | "RateLimitError", codes: readonly string[], status?: Status): Schema {
  const code = status === undefined ? {} : { code: { const: status } };
  return {
    allOf: [
      reference("schemas", name),
      { type: "object", properties: { ...code, error_code: { type: "string", enum: codes } } },
    ],
  };
}

function codesOf(status: Status | null): string[] {
  return Object.entries(ERROR_STATUSES).flatMap(([code, each]) => (each === status ? [code] : []));
}

function json<Content>(schema: Content) {
  return { "application/json": { schema } };
}

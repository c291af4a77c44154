import { DEEPEST_NESTING, nestsDeeper } from "../contract/nesting.js";
import { findRequestViolation } from "../contract/request-rules.js";
import type { TaskRequest } from "../contract/requests.js";
import type { ErrorCode } from "../contract/service.js";
import { InvalidRequestError } from "../errors/base.js";
import type { Context } from "../http/context.js";
import type { SpanAttributes } from "../http/tracing.js";

/** A copy of a request, which later changes of the caller's object do not affect: as JSON, and as the value of that JSON. */
export interface SentRequest {
  body: string;
  value: TaskRequest;
}

export function checkRequest(
  request: unknown,
  { validateRequests, redactor }: Pick<Context, "validateRequests" | "redactor">,
): SentRequest {
  let body: string | undefined;
  try {
    body = JSON.stringify(request);
  } catch {
    // Cycles and big integers.
  }
  const refuse = (code: ErrorCode, message: string): never => {
    throw new InvalidRequestError(code, [{ path: "", message }]);
  };
  if (request === undefined) return refuse("invalid_json", "is missing");
  if (body === undefined) return refuse("invalid_json", "is not serializable as JSON");
  const value = JSON.parse(body);
  const violation = validateRequests ? findRequestViolation(value) : null;
  if (violation !== null) {
    const { errorCode, issues } = violation;
    // A message may quote the name of an unknown field.
    throw new InvalidRequestError(
      errorCode,
      issues.map(({ path, message }) => ({ path, message: redactor.text(message) })),
    );
  }
  if (nestsDeeper(value, DEEPEST_NESTING))
    refuse("invalid_request_body", `must not nest deeper than ${DEEPEST_NESTING} levels`);
  return { body, value };
}

/** The span attributes of a request, which may be anything in JavaScript. */
export function attributesOf(request: unknown): SpanAttributes {
  const { model, task_type } = Object(request);
  return { "async_music.model": String(model), "async_music.task_type": String(task_type) };
}

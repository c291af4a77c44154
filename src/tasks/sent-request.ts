import { findRequestViolation } from "../contract/request-rules.js";
import type { TaskRequest } from "../contract/requests.js";
import type { ErrorCode } from "../contract/service.js";
import { InvalidRequestError } from "../errors/base.js";
import type { Context } from "../http/context.js";
import type { SpanAttributes } from "../http/tracing.js";

/** The deepest nesting of a request or a task, in levels: deeper values overflow the stack of code that copies them. */
export const DEEPEST = 1000;

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
  if (nestsDeeper(value, DEEPEST))
    refuse("invalid_request_body", `must not nest deeper than ${DEEPEST} levels`);
  return { body, value };
}

export function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const part of Object.values(value)) if (nestsDeeper(part, levels - 1)) return true;
  return false;
}

/** The span attributes of a request, which may be anything in JavaScript. */
export function attributesOf(request: unknown): SpanAttributes {
  const { model, task_type } = Object(request);
  return { "async_music.model": String(model), "async_music.task_type": String(task_type) };
}

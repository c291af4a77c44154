import { ERROR_STATUSES } from "../../src/contract/service.js";
import type { Policy } from "../core/policy-fields.js";
import { type ErrorFields, errorResponse, type HttpResponse } from "./messages.js";

/** The status of each error code of a `Refusal`: the interface's, and those of the emulator alone. */
const STATUSES = {
  ...ERROR_STATUSES,
  not_found: 404,
  method_not_allowed: 405,
  foreign_origin: 403,
  billing_incomplete: 409,
} as const;

/** Ends a request with an error response, which `refusalResponse` makes. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly errorCode: keyof typeof STATUSES;
  readonly details: ErrorFields & { allow?: string };

  constructor(errorCode: keyof typeof STATUSES, message: string, details: Refusal["details"] = {}) {
    super(message);
    this.errorCode = errorCode;
    this.details = details;
  }
}

/** The response to a refused request. Rethrows any other error, which is a defect of the emulator. */
export function refusalResponse(error: unknown, policy: Policy): HttpResponse {
  if (!(error instanceof Refusal)) throw error;
  const { errorCode, message, details } = error;
  const status =
    errorCode === "invalid_audio_format" || errorCode === "audio_format_unavailable"
      ? policy[`${errorCode}_status`]
      : STATUSES[errorCode];
  const response = errorResponse(status, errorCode, message, details);
  if (details.allow !== undefined) response.headers["Allow"] = details.allow;
  return response;
}

import type { ErrorCode } from "../contract/error-code.js";
import type { Known } from "../contract/task.js";
import { AsyncMusicError, type ErrorDetails } from "./async-music-error.js";

/** What an HTTP error answer said. */
export interface ApiErrorDetails extends ErrorDetails {
  status: number;
  errorCode: Known<ErrorCode> | null;
  requestId: string;
  headers: Headers;
}

/** The service answered with an error. Branch on `errorCode` or on the class, never on the message. */
export class ApiError extends AsyncMusicError {
  override name = "ApiError";

  /** The HTTP status. */
  readonly status: number;

  /** The service's stable classification; `null` where the answer had none. */
  readonly errorCode: Known<ErrorCode> | null;

  /** Names the request in the service's records: quote it when you ask for help. */
  readonly requestId: string;

  /** The headers of the answer. */
  readonly headers: Headers;

  constructor(message: string, details: ApiErrorDetails) {
    super(message, details);
    this.status = details.status;
    this.errorCode = details.errorCode;
    this.requestId = details.requestId;
    this.headers = details.headers;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), headers: Object.fromEntries(this.headers) };
  }
}

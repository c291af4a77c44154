import { AsyncMusicError, type ErrorDetails } from "./async-music-error.js";

/**
 * A response that the client cannot use: its body breaks the service's contract or is larger than 16 MiB, or it belongs to
 * another request of this client.
 */
export class InvalidResponseError extends AsyncMusicError {
  override name = "InvalidResponseError";

  /** Names the request in the service's records. */
  readonly requestId: string;

  /** What is wrong, by path in the body, or by the name of a header. */
  readonly issues: readonly { readonly path: string; readonly message: string }[];

  constructor(
    message: string,
    details: ErrorDetails & { requestId: string; issues: readonly { path: string; message: string }[] },
  ) {
    super(message, details);
    this.requestId = details.requestId;
    this.issues = details.issues;
  }
}

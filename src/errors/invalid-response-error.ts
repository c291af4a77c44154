import { AsyncMusicError, type ErrorDetails } from "./async-music-error.js";

/** An answer of success whose body breaks the service's contract. */
export class InvalidResponseError extends AsyncMusicError {
  override name = "InvalidResponseError";

  /** Names the request in the service's records. */
  readonly requestId: string;

  /** What is wrong with the body, by path. */
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

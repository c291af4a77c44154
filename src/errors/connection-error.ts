import { AsyncMusicError, type ErrorDetails } from "./async-music-error.js";

/** No answer came to a read, or a POST certainly never left this machine: nothing was charged. */
export class ConnectionError extends AsyncMusicError {
  override name = "ConnectionError";

  /** The `X-Request-Id` that the request was sent with. */
  readonly requestId: string;

  constructor(message: string, details: ErrorDetails & { requestId: string }) {
    super(message, details);
    this.requestId = details.requestId;
  }
}

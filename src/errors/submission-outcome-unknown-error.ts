import { AsyncMusicError, type ErrorDetails } from "./async-music-error.js";

/**
 * A POST may or may not have created a task, and nothing can tell from here: it was not sent again, since that could
 * pay twice. Compare `usage.tasks_created` or the balance before you send it yourself. Where a broken answer still
 * named its task, `taskId` is that task's: wait for it.
 */
export class SubmissionOutcomeUnknownError extends AsyncMusicError {
  override name = "SubmissionOutcomeUnknownError";

  /** The request whose outcome is unknown. */
  readonly request: unknown;

  /** The `X-Request-Id` of the POST: quote it when you ask the service what became of it. */
  readonly requestId: string;

  /** The HTTP status, where an answer came at all. */
  readonly status: number | null;

  constructor(
    message: string,
    details: ErrorDetails & { request: unknown; requestId: string; status: number | null },
  ) {
    super(message, details);
    this.request = details.request;
    this.requestId = details.requestId;
    this.status = details.status;
  }
}

import type { MessageParts } from "../contract/message.js";
import type { TaskRequest } from "../contract/requests.js";
import { AsyncMusicError, type ErrorDetails } from "./base.js";
import { brand } from "./brand.js";

/** A read had no response, or a POST was certainly never sent: nothing was charged. */
export class ConnectionError extends AsyncMusicError {
  static {
    brand(this, "ConnectionError");
  }

  /** The `X-Request-Id` that the request was sent with. */
  declare readonly requestId: string;

  constructor(message: string | MessageParts, details: ErrorDetails & { requestId: string }) {
    super(message, details);
  }
}

/** There was no response within `timeoutMs`. */
export class RequestTimeoutError extends ConnectionError {
  static {
    brand(this, "RequestTimeoutError");
  }
}

/**
 * The response is unusable: its body does not match the interface or is larger than 16 MiB, or it belongs to another
 * request of this client.
 */
export class InvalidResponseError extends AsyncMusicError {
  static {
    brand(this, "InvalidResponseError");
  }

  /** Identifies the request in the service's records. */
  declare readonly requestId: string;

  /** What is wrong, by path in the body, or by the name of a header. */
  declare readonly issues: readonly { readonly path: string; readonly message: string }[];

  constructor(
    message: string | MessageParts,
    details: ErrorDetails & { requestId: string; issues: readonly { path: string; message: string }[] },
  ) {
    super(message, details);
  }
}

/**
 * What the account's number of tasks shows about a POST whose outcome is unknown. Other tasks that this client creates are
 * not counted.
 *
 * - `"created"`: there is exactly one task more than before. It is this one, unless another client of the account created
 *   one meanwhile without this journal.
 * - `"not_created"`: there are no more tasks than before. The task was not created, unless the POST is still in flight: before the
 *   `checkAgainAt` of the error, that may be so.
 * - `"unclear"`: the numbers fit neither, since other clients of the account create tasks, or since the outcome of other keys
 *   of the journal is unknown too.
 */
export type Evidence = "created" | "not_created" | "unclear";

/**
 * A POST may or may not have created a task. It was not sent again, since that could create a second task. With a journal,
 * find out what happened and call `settleOutcome`; without one, compare `usage.tasks_created` before you send it yourself. If
 * a broken response still named its task, `taskId` is set: run the journal key again, or wait for that task without a journal.
 */
export class SubmissionOutcomeUnknownError extends AsyncMusicError {
  static {
    brand(this, "SubmissionOutcomeUnknownError");
  }

  /** The request whose outcome is unknown, as it was sent. It narrows by `model` and `task_type`. */
  declare readonly request: TaskRequest;

  /** The `X-Request-Id` of the POST: quote it when you contact the service. */
  declare readonly requestId: string;

  /** The journal key of the request: pass it to `settleOutcome`; `null` without a journal. */
  declare readonly journalKey: string | null;

  /** The HTTP status; `null` if no response came, or only one that belongs to another request. */
  declare readonly status: number | null;

  /**
   * With `probe`: what the account's number of tasks shows. `null` while another process may be about to send the POST, if the
   * number could not be read, or without `probe` in this run or in the one that sent the POST.
   */
  declare readonly evidence: Evidence | null;

  /**
   * Set while the POST may still be in flight, whichever run sent it: run again with the same journal key at this time or later.
   * Do not settle it with `null` before, since the POST may still create a task: the service may handle it after `timeoutMs`. It
   * is two minutes after the start of the POST, or the `timeoutMs` of its run plus 90 s if that is later. `null` after that time,
   * without a journal, and after an abort of your own: then run the key again, which waits for the POST.
   */
  declare readonly checkAgainAt: Date | null;

  constructor(
    message: string | MessageParts,
    details: ErrorDetails & {
      request: unknown;
      requestId: string;
      status: number | null;
      journalKey?: string | undefined;
      evidence?: Evidence | null;
      checkAgainAt?: Date | null;
    },
  ) {
    const { journalKey = null } = details;
    const all = { evidence: null, checkAgainAt: null, ...details, journalKey };
    super(message, all);
  }
}

/** The address of the audio returns 404: audio is available for seven days after its task completed. */
export class AudioExpiredError extends AsyncMusicError {
  static {
    brand(this, "AudioExpiredError");
  }

  /** The address of the audio. */
  declare readonly url: string;

  /** @param shownUrl - the address in the message */
  constructor(url: string, shownUrl: string = url) {
    const details: ErrorDetails & { url: string } = { url };
    super(
      {
        what: "Failed to download audio",
        why: `${shownUrl} returned HTTP 404`,
        facts: ["Audio expires seven days after its task completed."],
      },
      details,
    );
  }
}

/** The audio could not be downloaded completely, or `saveAudio` could not save it. */
export class AudioDownloadError extends AsyncMusicError {
  static {
    brand(this, "AudioDownloadError");
  }

  /** The address of the audio. */
  declare readonly url: string;

  /** The HTTP status; `null` if there was no response, or if saving failed. */
  declare readonly status: number | null;

  /** The wait that the response stated, in seconds from the response; `null` if none was stated. */
  declare readonly retryAfterSeconds: number | null;

  /** When the stated wait ends, by the client's clock. */
  declare readonly retryAt: Date | null;

  constructor(
    message: string | MessageParts,
    details: {
      url: string;
      status: number | null;
      cause?: unknown;
      retryAfterSeconds?: number | null;
      retryAt?: Date | null;
    },
  ) {
    const all = { retryAfterSeconds: null, retryAt: null, ...details };
    super(message, all);
  }
}

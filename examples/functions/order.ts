import {
  AccountSuspendedError,
  type AsyncMusic,
  AsyncMusicError,
  BadRequestError,
  InsufficientCreditsError,
  InvalidRequestError,
  type Journal,
  JournalConflictError,
  JournalError,
  SubmissionOutcomeUnknownError,
  settleOutcome,
} from "async-music";

/**
 * How long this function lives, in milliseconds. If an earlier call was killed during its request, the SDK waits for its outcome for
 * 2 s: a shorter life would only log a timeout.
 */
const LIFETIME_MS = 5000;

/** What a user reads while a song may be charged. */
export const WORKING = "We are still working on your song. Do not order it again.";

/**
 * A function that orders a song and ends: `POST { "order": "order-1", "description": "rain in Lisbon" }`. The journal has the
 * task when the function responds, and the relay delivers its end. One order is one song, however often the request is sent.
 */
export async function orderSong(client: AsyncMusic, journal: Journal, request: Request): Promise<Response> {
  const { order, description } = Object(await request.json().catch(() => null));
  if (typeof order !== "string" || order === "") return failed(400, "no order ID");
  try {
    await client.tasks.create(
      { model: "provider_a", task_type: "music", input: { gpt_description_prompt: description } },
      { journal, journalKey: order, probe: true, signal: AbortSignal.timeout(LIFETIME_MS) },
    );
  } catch (error) {
    // An operator may need it: the user does not read the message, which may name the task of another customer.
    console.error(error);
    if (!(error instanceof AsyncMusicError) || error.taskId === null) return refused(error);
    // The task exists, although the response was broken or the journal failed. The log has its ID if the journal fails again.
    if (error instanceof JournalError) await settleOutcome(journal, order, error.taskId);
  }
  return Response.json({ page: `/songs/${encodeURIComponent(order)}` }, { status: 202 });
}

/** The texts of the guide "Errors" for a user. */
function refused(error: unknown): Response {
  const isFormat = error instanceof BadRequestError && error.errorCode === "audio_format_unavailable";
  if (error instanceof InvalidRequestError || (error instanceof BadRequestError && !isFormat))
    return failed(400, "Describe the song in other words.");
  if (error instanceof JournalConflictError)
    return failed(400, "This order has another description already.");
  if (error instanceof InsufficientCreditsError || error instanceof AccountSuspendedError)
    return failed(503, "No song can be ordered at the moment.");
  // A later call with the same order continues with the task, if one was created.
  if (error instanceof SubmissionOutcomeUnknownError) return failed(503, WORKING);
  return failed(503, "Try the same order again later.");
}

function failed(status: 400 | 503, error: string): Response {
  return Response.json({ error }, { status, headers: status === 503 ? { "Retry-After": "5" } : {} });
}

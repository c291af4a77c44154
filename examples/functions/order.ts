import {
  type AsyncMusic,
  AsyncMusicError,
  BadRequestError,
  InvalidRequestError,
  type Journal,
  JournalConflictError,
  SubmissionOutcomeUnknownError,
} from "async-music";

/** How long this function lives, in milliseconds. */
const LIFETIME_MS = 2000;

/** What a user reads while a song may be charged. */
export const WORKING = "We are still working on your song. Do not order it again.";

/**
 * A function that orders a song and ends: `POST { "order": "order-1", "description": "rain in Lisbon" }`. The journal has the
 * task when the function responds, and the relay delivers its end. One order is one song, however often the request is sent.
 */
export async function orderSong(client: AsyncMusic, journal: Journal, request: Request): Promise<Response> {
  const { order, description } = await request.json();
  if (typeof order !== "string" || order === "") return refused("no order ID");
  try {
    await client.tasks.create(
      { model: "provider_a", task_type: "music", input: { gpt_description_prompt: description } },
      { journal, journalKey: order, probe: true, signal: AbortSignal.timeout(LIFETIME_MS) },
    );
    return Response.json({ page: `/songs/${encodeURIComponent(order)}` }, { status: 202 });
  } catch (error) {
    const isRefused = error instanceof InvalidRequestError || error instanceof BadRequestError;
    // A conflict: the order's ID belongs to another song.
    if (isRefused || error instanceof JournalConflictError) return refused(error.name);
    // The same request again continues: with the task, if one was created.
    console.error(error);
    const mayBeCharged =
      error instanceof SubmissionOutcomeUnknownError ||
      (error instanceof AsyncMusicError && error.taskId !== null);
    const text = mayBeCharged ? WORKING : "Try the same order again later.";
    return Response.json({ error: text }, { status: 503, headers: { "Retry-After": "5" } });
  }
}

/** Without the message of an error: that is for operators, and may name the task of another customer. */
function refused(error: string): Response {
  return Response.json({ error }, { status: 400 });
}

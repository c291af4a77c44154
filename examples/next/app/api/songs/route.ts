import { ApiError, AsyncMusicError, InvalidRequestError, SubmissionOutcomeUnknownError } from "async-music";
import { songClient } from "../../../songs.ts";

/** Orders a song, and responds at once with its address, which contains the task ID: no database is needed. */
export async function POST(request: Request): Promise<Response> {
  const { description } = await request.json();
  try {
    const { task_id } = await songClient().tasks.create({
      model: "provider_a",
      task_type: "music",
      audio_format: "mp3",
      input: { gpt_description_prompt: description },
    });
    return accepted(task_id);
  } catch (error) {
    if (!(error instanceof AsyncMusicError)) throw error;
    // The response was broken, but it named the task.
    if (error.taskId !== null) return accepted(error.taskId);
    if (error instanceof InvalidRequestError) return Response.json({ issues: error.issues }, { status: 400 });
    // The browser must not retry by itself: this may have been charged. A redirect comes from a proxy that may have sent the order.
    if (error instanceof SubmissionOutcomeUnknownError || (error instanceof ApiError && error.status < 400))
      return Response.json(
        { error: "The song may have been ordered.", request_id: error.requestId },
        { status: 502 },
      );
    // The server's log has the reason, such as a wrong key or too few credits.
    console.error(error);
    return Response.json({ error: "Nothing was ordered. Try again later." }, { status: 503 });
  }
}

function accepted(taskId: string): Response {
  const url = `/api/songs/${taskId}`;
  return Response.json({ status_url: url }, { status: 202, headers: { Location: url } });
}

import { InvalidRequestError, SubmissionOutcomeUnknownError } from "async-music";
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
    const url = `/api/songs/${task_id}`;
    return Response.json({ status_url: url }, { status: 202, headers: { Location: url } });
  } catch (error) {
    if (error instanceof InvalidRequestError) return Response.json({ issues: error.issues }, { status: 400 });
    // The browser must not retry by itself: this may have been charged.
    if (error instanceof SubmissionOutcomeUnknownError)
      return Response.json({ error: "unknown outcome", request_id: error.requestId }, { status: 502 });
    throw error;
  }
}

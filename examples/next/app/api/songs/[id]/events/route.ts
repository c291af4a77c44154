import { taskEvents } from "async-music";
import { songClient, songOf } from "../../../../../songs.ts";

/** The progress of a song, for the `EventSource` of a page. The polling ends when the page is closed. */
export async function GET(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  const { id } = await params;
  const tasks = songClient().tasks.watch(id, { signal: request.signal });
  // Without `no-transform`, Next.js compresses the stream, and its events are late.
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform" };
  return new Response(taskEvents(tasks, songOf), { headers });
}

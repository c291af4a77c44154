import { type Clip, TaskNotFoundError } from "async-music";
import { type Song, songClient } from "../../../../songs.ts";

/** How a song is getting on. Ask again after five seconds, as `Retry-After` says. */
export async function GET(_: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const { id } = await params;
  try {
    const task = await songClient().tasks.retrieve(id);
    const { status, output, error_code: reason } = task;
    if (status === "failure" || status === "timeout") return answer({ status: "failed", reason });
    if (status === "success" && isClips(output?.result))
      return answer({ status: "ready", clips: output.result });
    return answer({ status: "pending", progress: output?.progress ?? null });
  } catch (error) {
    if (error instanceof TaskNotFoundError) return Response.json({ error: "no such song" }, { status: 404 });
    throw error;
  }
}

function answer(song: Song): Response {
  return Response.json(song, { headers: song.status === "pending" ? { "Retry-After": "5" } : {} });
}

function isClips(result: unknown): result is readonly Clip[] {
  return Array.isArray(result);
}

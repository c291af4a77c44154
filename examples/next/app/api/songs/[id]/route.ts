import { isMusic, TaskNotFoundError } from "async-music";
import { type Song, songClient } from "../../../../songs.ts";

/** The status of a song. Read it again after `Retry-After`, five seconds. */
export async function GET(_: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const { id } = await params;
  try {
    const task = await songClient().tasks.retrieve(id);
    if (task.status === "failure" || task.status === "timeout")
      return answer({ status: "failed", reason: task.error_code });
    if (task.status === "success" && isMusic(task))
      return answer({ status: "ready", clips: task.output.result });
    return answer({ status: "pending", progress: task.output?.progress ?? null });
  } catch (error) {
    if (error instanceof TaskNotFoundError) return Response.json({ error: "no such song" }, { status: 404 });
    throw error;
  }
}

function answer(song: Song): Response {
  return Response.json(song, { headers: song.status === "pending" ? { "Retry-After": "5" } : {} });
}

import { TaskNotFoundError } from "async-music";
import { songClient, songOf } from "../../../../songs.ts";

/** The status of a song. Read it again after `Retry-After`, five seconds. */
export async function GET(_: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const { id } = await params;
  try {
    const song = songOf(await songClient().tasks.retrieve(id));
    return Response.json(song, { headers: song.status === "pending" ? { "Retry-After": "5" } : {} });
  } catch (error) {
    if (error instanceof TaskNotFoundError) return Response.json({ error: "no such song" }, { status: 404 });
    throw error;
  }
}

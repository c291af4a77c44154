import { AudioExpiredError, isMusic, TaskNotFoundError } from "async-music";
import { songClient } from "../../../../../../songs.ts";

interface Context {
  params: Promise<{ id: string; clip: string }>;
}

/** The audio of a clip. A page could also use its `audio_url`, except with the emulator in this process. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { id, clip: clipId } = await params;
  try {
    const task = await songClient().tasks.retrieve(id);
    const clips = task.status === "success" && isMusic(task) ? task.output.result : [];
    const clip = clips.find((each) => each.id === clipId);
    if (clip === undefined) return Response.json({ error: "no such clip" }, { status: 404 });
    const { body, contentType, size } = await songClient().audio.download(clip, { signal: request.signal });
    const headers = new Headers({ "Content-Type": contentType });
    if (size !== null) headers.set("Content-Length", String(size));
    return new Response(body, { headers });
  } catch (error) {
    if (error instanceof TaskNotFoundError || error instanceof AudioExpiredError)
      return Response.json({ error: "no such song" }, { status: 404 });
    throw error;
  }
}

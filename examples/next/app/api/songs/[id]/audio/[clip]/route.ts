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
    const audio = await songClient().audio.download(clip, { signal: request.signal });
    return partOf(await audio.blob(), audio.contentType, request.headers.get("Range"));
  } catch (error) {
    if (error instanceof TaskNotFoundError || error instanceof AudioExpiredError)
      return Response.json({ error: "no such song" }, { status: 404 });
    throw error;
  }
}

/**
 * The range that a player requests. Without it, no song could be sought. Next.js drops `Content-Length`, so only
 * `Content-Range` has the length.
 */
function partOf(audio: Blob, contentType: string, range: string | null): Response {
  const headers = { "Content-Type": contentType, "Accept-Ranges": "bytes" };
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? "") ?? [];
  if (first === undefined) return new Response(audio, { headers });
  const start = Number(first);
  const end = last ? Math.min(Number(last) + 1, audio.size) : audio.size;
  if (start >= end)
    return new Response(null, { status: 416, headers: { "Content-Range": `bytes */${audio.size}` } });
  const contentRange = `bytes ${start}-${end - 1}/${audio.size}`;
  return new Response(audio.slice(start, end), {
    status: 206,
    headers: { ...headers, "Content-Range": contentRange },
  });
}

import { isMusic, TaskNotFoundError } from "async-music";
import { fetchAudio, songClient, songJournal } from "../../../../../../songs.ts";

interface Context {
  params: Promise<{ order: string; clip: string }>;
}

/** What a player sends to request a part of a song, and what it needs to know about the part. */
const REQUEST_HEADERS = ["Range", "If-Range"];
const RESPONSE_HEADERS = ["Content-Type", "Content-Range", "Accept-Ranges", "ETag", "Last-Modified"];

/**
 * The audio of a clip, or the part of it that a player requests: without parts, no song could be sought. A page could also use
 * the clip's `audio_url`, except with the emulator in this process. The client reads a task at most once a second: a part that is
 * requested just after another one comes up to a second later.
 */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { order, clip: clipId } = await params;
  const entry = await songJournal().get(order);
  if (entry?.state !== "submitted") return Response.json({ error: "no such song" }, { status: 404 });
  try {
    const task = await songClient().tasks.retrieve(entry.task_id);
    const clips = task.status === "success" && isMusic(task) ? task.output.result : [];
    const clip = clips.find((each) => each.id === clipId);
    if (clip === undefined) return Response.json({ error: "no such clip" }, { status: 404 });
    // A range counts the bytes without a content coding.
    const headers = { ...picked(request.headers, REQUEST_HEADERS), "Accept-Encoding": "identity" };
    const audio = await fetchAudio(clip.audio_url, { headers, signal: request.signal });
    if (audio.ok || audio.status === 416)
      return new Response(audio.body, {
        status: audio.status,
        headers: picked(audio.headers, RESPONSE_HEADERS),
      });
    // After seven days, the audio is deleted.
    if (audio.status === 404) return Response.json({ error: "no such song" }, { status: 404 });
    return Response.json({ error: "The audio is unavailable." }, { status: 502 });
  } catch (error) {
    if (error instanceof TaskNotFoundError) return Response.json({ error: "no such song" }, { status: 404 });
    throw error;
  }
}

function picked(headers: Headers, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

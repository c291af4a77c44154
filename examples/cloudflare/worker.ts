/**
 * A Cloudflare worker: `POST /songs` responds at once, `GET /songs/:id` returns the song's status, and
 * `GET /songs/:id/audio` streams the audio in any format.
 *
 * A worker keeps no state between requests: the address of a song contains its task ID. Without a journal, a repeated `POST` orders
 * another song: `docs/runtimes.md` shows how to prevent that.
 */

import {
  ApiError,
  AsyncMusic,
  AsyncMusicError,
  InvalidRequestError,
  isMusic,
  SubmissionOutcomeUnknownError,
  TaskNotFoundError,
} from "async-music";

/** Secrets and variables: `wrangler secret put ASYNC_MUSIC_API_KEY`. */
export interface Env {
  ASYNC_MUSIC_API_KEY: string;
  ASYNC_MUSIC_BASE_URL: string;
}

// biome-ignore lint/style/noDefaultExport: it is what makes a module a worker.
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const client = new AsyncMusic({ apiKey: env.ASYNC_MUSIC_API_KEY, baseUrl: env.ASYNC_MUSIC_BASE_URL });
    const [, collection, id, part] = new URL(request.url).pathname.split("/");
    if (collection !== "songs") return new Response(null, { status: 404 });
    try {
      if (request.method === "POST" && id === undefined) return await order(client, request);
      if (request.method === "GET" && id !== undefined)
        return part === "audio" ? await stream(client, id) : await tell(client, id);
      return new Response(null, { status: 405 });
    } catch (error) {
      return asResponse(error);
    }
  },
};

async function order(client: AsyncMusic, request: Request): Promise<Response> {
  const { description }: { description: string } = await request.json();
  try {
    const { task_id } = await client.tasks.create({
      model: "provider_b",
      task_type: "music",
      input: { prompt: description },
    });
    return accepted(task_id);
  } catch (error) {
    // The response was broken, but it named the task.
    if (error instanceof AsyncMusicError && error.taskId !== null) return accepted(error.taskId);
    throw error;
  }
}

function accepted(id: string): Response {
  return Response.json({ id }, { status: 202, headers: { Location: `/songs/${id}` } });
}

async function tell(client: AsyncMusic, id: string): Promise<Response> {
  const { status, error_code } = await client.tasks.retrieve(id);
  return Response.json({ status, error_code });
}

async function stream(client: AsyncMusic, id: string): Promise<Response> {
  const task = await client.tasks.retrieve(id);
  const [clip] = isMusic(task) && task.status === "success" ? task.output.result : [];
  if (clip === undefined) return new Response(null, { status: 409 });
  const { body, contentType } = await client.audio.download(clip);
  return new Response(body, { headers: { "Content-Type": contentType } });
}

function asResponse(error: unknown): Response {
  if (error instanceof TaskNotFoundError) return new Response(null, { status: 404 });
  if (error instanceof InvalidRequestError) return Response.json({ issues: error.issues }, { status: 400 });
  if (!(error instanceof AsyncMusicError)) throw error;
  // The caller must not repeat this request automatically: it may have been charged. A redirect comes from a proxy.
  if (error instanceof SubmissionOutcomeUnknownError || (error instanceof ApiError && error.status < 400))
    return Response.json({ error: "unknown outcome", request_id: error.requestId }, { status: 502 });
  // Nothing was ordered.
  return Response.json({ error: error.name }, { status: 503 });
}

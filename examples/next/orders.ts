/** Orders of songs, for any framework that has the `Request` and the `Response` of the platform. */

import {
  AccountSuspendedError,
  type AsyncMusic,
  AsyncMusicError,
  BadRequestError,
  type Clip,
  CreditCeilingError,
  InsufficientCreditsError,
  InvalidRequestError,
  isMusic,
  type Journal,
  JournalConflictError,
  JournalError,
  progressOf,
  settleOutcome,
  type Task,
  taskEvents,
} from "async-music";

/** The fields of a song that a browser receives. `progress` is from 0 to 1. */
export type Song =
  | { status: "pending"; progress: number }
  | { status: "ready"; clips: readonly Clip[] }
  | { status: "failed"; advice: string };

/** The ID of an order, which a browser chooses: it is no path, and not endless. */
const ORDER_ID = /^[\w-]{1,64}$/;

/** Submits the song of an order, and responds before the song is finished. Repeat it freely: one order is one song. */
export async function orderSong(
  client: AsyncMusic,
  journal: Journal,
  order: string,
  description: string,
): Promise<Response> {
  if (!ORDER_ID.test(order)) return Response.json({ error: "no order ID" }, { status: 400 });
  const input = { gpt_description_prompt: description };
  try {
    await client.tasks.create(
      { model: "provider_a", task_type: "music", audio_format: "mp3", input },
      { journal, journalKey: order, probe: true },
    );
  } catch (error) {
    if (!(error instanceof AsyncMusicError) || error.taskId === null) return refused(error);
    // The task exists, although the response was broken or the journal failed.
    // The log has its ID if the journal fails again.
    console.error(error.message);
    if (error instanceof JournalError) await settleOutcome(journal, order, error.taskId);
  }
  return Response.json({ order }, { status: 202 });
}

/** Streams the progress of an order to the `EventSource` of a page. The journal also has the orders of earlier processes. */
export async function songEvents(
  client: AsyncMusic,
  journal: Journal,
  order: string,
  signal: AbortSignal,
): Promise<Response> {
  const entry = await journal.get(order);
  if (entry?.state !== "submitted") return Response.json({ error: "no song" }, { status: 404 });
  const tasks = client.tasks.watch(entry.submission ?? entry.task_id, { signal });
  // Without `no-transform`, some servers compress the stream, and its events are late.
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform" };
  return new Response(taskEvents(tasks, songOf), { headers });
}

/**
 * The status of an order, for a program that does not read the stream. Read it again after `Retry-After`, in seconds. The client reads
 * a task at most once a second: the calls that wait for the next read share it.
 */
export async function readSong(client: AsyncMusic, journal: Journal, order: string): Promise<Response> {
  const entry = await journal.get(order);
  if (entry?.state !== "submitted") return Response.json({ error: "no song" }, { status: 404 });
  const song = songOf(await client.tasks.retrieve(entry.task_id));
  return Response.json(song, { headers: song.status === "pending" ? { "Retry-After": "5" } : {} });
}

/** Waits for the songs of all orders, until the signal aborts. It continues the orders of earlier processes. */
export async function followSongs(client: AsyncMusic, journal: Journal, signal: AbortSignal): Promise<void> {
  try {
    for await (const { key, task, error } of client.tasks.follow(journal, { signal })) {
      // Store the audio of `task` here: its links work for seven days.
      if (task) console.log(`${key}: ${task.status}`);
      else console.error(`${key}:`, error);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function songOf(task: Task): Song {
  if (task.status === "failure" || task.status === "timeout")
    return { status: "failed", advice: adviceAfter(task) };
  if (task.status === "success" && isMusic(task)) return { status: "ready", clips: task.output.result };
  return { status: "pending", progress: progressOf(task) };
}

/** A failed song is refunded. The same words can be refused by the provider again and again. */
function adviceAfter({ retryable }: Task): string {
  return retryable === false ? "Describe the song in other words." : "Order it again.";
}

/** After a 503, the browser may send the same order again. */
function refused(error: unknown): Response {
  const name = error instanceof AsyncMusicError ? error.name : "internal error";
  const isFormat = error instanceof BadRequestError && error.errorCode === "audio_format_unavailable";
  if (error instanceof InvalidRequestError || (error instanceof BadRequestError && !isFormat))
    return Response.json({ error: name }, { status: 400 });
  if (
    error instanceof InsufficientCreditsError ||
    error instanceof CreditCeilingError ||
    error instanceof AccountSuspendedError
  )
    return Response.json({ error: name }, { status: 402 });
  // The order has another description already.
  if (error instanceof JournalConflictError) return Response.json({ error: name }, { status: 409 });
  // A wrong key, or an unknown outcome: a person must resolve it. If MP3 is unavailable, omit `audio_format`, or wait.
  console.error(error);
  return Response.json({ error: name }, { status: 503 });
}

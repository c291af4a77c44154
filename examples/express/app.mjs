/** A server that responds at once, streams the progress of each song, and continues its orders after a restart. */

import { Readable } from "node:stream";
import {
  AsyncMusicError,
  BadRequestError,
  InvalidRequestError,
  JournalConflictError,
  progressOf,
  SubmissionOutcomeUnknownError,
  taskEvents,
} from "async-music";
import express from "express";

/**
 * `PUT /songs/:order` orders a song under a name that the caller chooses, and can be repeated: one name is one song.
 * `GET /songs/:order` returns its status, and `GET /songs/:order/events` streams its progress to the `EventSource` of a
 * page. Both read the journal, so they know the orders of earlier processes.
 */
export function createApp(client, journal) {
  const app = express();
  app.use(express.json({ type: () => true }));

  app.put("/songs/:order", async (request, response) => {
    const { order } = request.params;
    const { description } = request.body ?? {};
    const input = { gpt_description_prompt: description };
    // Resolves when the task is submitted, or found in the journal, before the song is finished.
    await new Promise((resolve, reject) => {
      client.tasks
        .run(
          { model: "provider_a", task_type: "music", input },
          { journal, journalKey: order, probe: true, onSubmitted: resolve },
        )
        .then(resolve, reject);
    });
    response
      .status(202)
      .location(`/songs/${order}`)
      .json({ status_url: `/songs/${order}` });
  });

  app.get("/songs/:order", async (request, response) => {
    const entry = await entryOf(journal, request.params.order);
    if (entry === null) return response.status(404).json({ error: "no such order" });
    // The request is in flight. If it stays in this state, its outcome is unknown: see `resumeOrders`.
    if (entry.state === "intent") return response.set("Retry-After", "5").json({ status: "unknown" });
    if (entry.status === undefined) return response.set("Retry-After", "5").json({ status: "pending" });
    const { status, output, error_code } = await client.tasks.retrieve(entry.task_id);
    if (status === "success") return response.json({ status: "ready", clips: output.result });
    return response.json({ status: "failed", reason: error_code ?? status });
  });

  app.get("/songs/:order/events", async (request, response) => {
    const entry = await entryOf(journal, request.params.order);
    if (entry?.state !== "submitted") return response.status(404).json({ error: "no such task" });
    // The polling ends when the page is closed. In Node 22, `request.signal` is `undefined`.
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const tasks = client.tasks.watch(entry.submission ?? entry.task_id, { signal: gone.signal });
    const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform" };
    response.writeHead(200, headers);
    Readable.fromWeb(taskEvents(tasks, shownOf)).pipe(response);
  });

  app.use((error, _request, response, _next) => {
    // A wrong key, an empty account or an order to settle: a person must know of it.
    if (statusOf(error) >= 500) console.error(error);
    response.status(statusOf(error)).json({ error: reasonOf(error) });
  });
  return app;
}

/** Call it when the process starts: continues each order that an earlier process has left open. */
export async function resumeOrders(client, journal) {
  for (const { key } of await journal.open()) void resume(key, client, journal);
}

/** Runs an open order until it has ended, or until a person must settle it. */
async function resume(order, client, journal) {
  try {
    const { request } = await journal.get(order);
    await client.tasks.run(request, { journal, journalKey: order, probe: true });
  } catch (error) {
    const isUnknown = error instanceof SubmissionOutcomeUnknownError && error.taskId === null;
    const again = isUnknown ? error.checkAgainAt : null;
    // Until then, another process may still be sending the request.
    if (again !== null) setTimeout(resume, Math.max(1000, again - Date.now()), order, client, journal);
    // The guide about duplicate charges shows how to find the task of a request, and how to settle the order.
    else console.error(`${order}: ${isUnknown ? `settle request ${error.requestId}` : reasonOf(error)}`);
  }
}

/** What the journal has of an order; `null` if nothing was sent, or if the order was settled as not created. */
async function entryOf(journal, order) {
  const entry = await journal.get(order);
  return entry?.state === "intent" && entry.settled ? null : entry;
}

/** The fields of a task that a page receives. */
function shownOf(task) {
  return { status: task.status, progress: progressOf(task) };
}

function reasonOf(error) {
  return error instanceof AsyncMusicError ? error.name : "internal error";
}

/** Errors before a task exists. The client may repeat the request after a 503. */
function statusOf(error) {
  if (error instanceof InvalidRequestError || error instanceof BadRequestError) return 400;
  if (error instanceof JournalConflictError) return 409;
  return error instanceof AsyncMusicError ? 503 : (error.status ?? 500);
}

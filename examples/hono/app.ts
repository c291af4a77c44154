/** A server that responds at once, and serves the song when it is finished. */

import {
  type AsyncMusic,
  AsyncMusicError,
  BadRequestError,
  type Clip,
  InvalidRequestError,
  type Journal,
  JournalConflictError,
  progressOf,
  type Task,
  type TaskSubmission,
  taskEvents,
} from "async-music";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";

type Order =
  | { status: "pending" }
  | { status: "ready"; clips: readonly Clip[] }
  | { status: "failed"; reason: string };

/**
 * `PUT /songs/:order` orders a song under a name that the caller chooses, and can be repeated: one name is one song.
 * `GET /songs/:order` returns its status, and `GET /songs/:order/events` streams its progress to the `EventSource` of a
 * page.
 */
export function createApp(client: AsyncMusic, journal: Journal): Hono {
  const orders = new Map<string, Order>();
  const submissions = new Map<string, TaskSubmission>();

  return new Hono()
    .put("/songs/:order", async (context) => {
      const name = context.req.param("order");
      const { description } = await context.req.json<{ description: string }>();
      await accept(name, description);
      return context.json({ status_url: `/songs/${name}` }, 202, { Location: `/songs/${name}` });
    })
    .get("/songs/:order", (context) => {
      const order = orders.get(context.req.param("order"));
      // After a restart, repeat the PUT. The journal then continues with the task.
      if (order === undefined) return context.json({ error: "no such order" }, 404);
      return context.json(order, 200, order.status === "pending" ? { "Retry-After": "5" } : {});
    })
    .get("/songs/:order/events", (context) => {
      const submission = submissions.get(context.req.param("order"));
      if (submission === undefined) return context.json({ error: "no such order" }, 404);
      const tasks = client.tasks.watch(submission, { signal: context.req.raw.signal });
      return context.body(taskEvents(tasks, shownOf), 200, { "Content-Type": "text/event-stream" });
    });

  /** Resolves when the task is submitted, or found in the journal, before the song is finished. */
  function accept(name: string, description: string): Promise<void> {
    return new Promise((resolve, reject) => {
      let tell = (error: unknown) => reject(asHttp(error));
      const onSubmitted = (submission: TaskSubmission) => {
        submissions.set(name, submission);
        if (!orders.has(name)) orders.set(name, { status: "pending" });
        tell = (error) => void orders.set(name, { status: "failed", reason: reasonOf(error) });
        resolve();
      };
      client.tasks
        .run(
          { model: "provider_a", task_type: "music", input: { gpt_description_prompt: description } },
          { journal, journalKey: name, probe: true, onSubmitted },
        )
        .then(({ output }) => {
          orders.set(name, { status: "ready", clips: output.result });
          resolve();
        })
        .catch((error) => tell(error));
    });
  }
}

/** The fields of a task that a page receives. */
function shownOf(task: Task): { status: string; progress: number } {
  return { status: task.status, progress: progressOf(task) };
}

function reasonOf(error: unknown): string {
  return error instanceof AsyncMusicError ? error.name : "internal error";
}

/** Errors before a task exists. The client must not repeat the request, except in the last case. */
function asHttp(error: unknown): HTTPException {
  const message = reasonOf(error);
  if (error instanceof InvalidRequestError || error instanceof BadRequestError)
    return new HTTPException(400, { message });
  if (error instanceof JournalConflictError) return new HTTPException(409, { message });
  return new HTTPException(503, { message, cause: error });
}

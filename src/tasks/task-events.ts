import type { Task } from "../contract/task.js";
import { AsyncMusicError } from "../errors/base.js";

/**
 * Returns the changes of a task as server-sent events, for the body of a response of any framework. Each change is a
 * message whose data is the task as JSON; the last one is the task as it ended, and then the stream closes.
 *
 * Where the wait fails, the stream ends with an event named `wait_error`, whose data has only the class of the error and
 * the task's id: `{"name":"WaitTimeoutError","task_id":"…"}`. Messages of errors stay on the server. The task is polled
 * only while the stream is read. Cancelling the stream, as servers do when the client disconnects, ends the polling.
 *
 * An `EventSource` connects again when a stream closes: call its `close()` once the status of the task is final.
 *
 * @param tasks - what `client.tasks.watch` returns
 * @param toData - chooses what a message contains, such as the status without the prompt; may be async. The whole task by default
 *
 * @example
 * ```ts
 * function progressResponse(request: Request): Response {
 *   const tasks = client.tasks.watch(taskId, { signal: request.signal });
 *   const events = taskEvents(tasks, (task) => ({ status: task.status, progress: progressOf(task) }));
 *   return new Response(events, { headers: { "Content-Type": "text/event-stream" } });
 * }
 * ```
 */
export function taskEvents<Each extends Task>(
  tasks: AsyncIterable<Each>,
  toData: (task: Each) => unknown = (task) => task,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const iterator = tasks[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const next = await iterator.next();
          if (next.done) controller.close();
          else {
            const data = JSON.stringify((await toData(next.value)) ?? null) ?? "null";
            controller.enqueue(encoder.encode(`data: ${data}\n\n`));
          }
        } catch (error) {
          controller.enqueue(
            encoder.encode(`event: wait_error\ndata: ${JSON.stringify(shownOf(error))}\n\n`),
          );
          await iterator.return?.();
          controller.close();
        }
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    // Without a buffer nothing is polled before somebody reads.
    { highWaterMark: 0 },
  );
}

function shownOf(error: unknown): { name: string; task_id: string | null } {
  return error instanceof AsyncMusicError
    ? { name: error.name, task_id: error.taskId }
    : { name: "Error", task_id: null };
}

/** A percentage anywhere, or nothing but a number. */
const PERCENTAGE = /(?:^|[^\d.,-])(\d{1,9}(?:[.,]\d+)?)\s*%|^\s*(\d{1,9}(?:[.,]\d+)?)\s*$/;

/** Nothing that a provider reports as its progress is longer, in characters. */
const LONGEST_PROGRESS = 100;

/**
 * Returns how far a task is, from 0 to 1: 1 once it succeeded, and otherwise what the provider last reported in
 * `task.output.progress`, such as `"42%"`. A number without a sign is taken as a percentage. 0 as long as the provider
 * reports none, or none that can be read.
 *
 * @example
 * ```ts
 * for await (const task of client.tasks.watch(taskId)) console.log(Math.round(100 * progressOf(task)), "%");
 * ```
 */
export function progressOf(task: {
  readonly status: string;
  readonly output: { readonly progress?: string | null } | null;
}): number {
  if (task.status === "success") return 1;
  const [, percentage, number] =
    PERCENTAGE.exec(textOf(task.output?.progress).slice(0, LONGEST_PROGRESS)) ?? [];
  return Math.min(1, Number((percentage ?? number ?? "0").replace(",", ".")) / 100);
}

/** The service may send anything as progress. */
function textOf(progress: unknown): string {
  return typeof progress === "string" || typeof progress === "number" ? String(progress) : "";
}

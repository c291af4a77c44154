import { isFinalStatus, LIMITS } from "../contract/service.js";
import type { Task } from "../contract/task.js";
import { AsyncMusicError } from "../errors/base.js";
import { type ByteStream, byteStream } from "../http/byte-stream.js";
import type { TaskEstimate } from "../rate-limit/pacer.js";
import { dateAt, parseDate } from "../time/date.js";
import { KeepAlive } from "./keep-alive.js";

/**
 * Returns the changes of a task as server-sent events, for the body of a response of any framework. Each change is a
 * message whose data is the task as JSON; the last one is the task as it ended, and then the stream closes.
 *
 * If the wait fails, the stream ends with an event named `wait_error`, whose data has only the class of the error and the task's
 * ID: `{"name":"WaitTimeoutError","task_id":"…"}`. For an error that is not of this package, such as one of `toData`, it is
 * `{"name":"Error","task_id":null}`. Messages of errors stay on the server. Nothing is polled before the stream is read, and
 * between a change and the next read. Canceling the stream, as servers do when the client disconnects,
 * ends the polling. `pipe` of Node and Express cancels nothing: pass `watch` the signal of an `AbortController` that the
 * response's `close` aborts. After an abort of that signal, the stream closes without an event, so that an `EventSource` connects
 * again: abort it also when the server stops.
 *
 * A comment follows each poll that found no change, and comes at the latest 8 seconds after the last line, so that servers and
 * proxies do not close the connection as idle: Bun does so after 10 seconds. An `EventSource` ignores comments. The times are
 * those of the client's clock, or of the system's clock if `tasks` is another iterable than that of `watch`.
 *
 * An `EventSource` connects again when a stream closes: call its `close()` once the status of the task is final.
 *
 * @param tasks - what `client.tasks.watch` returns
 * @param toData - chooses what a message contains, such as the status without the prompt; may be async. The whole task by default.
 * It also receives what `client.tasks.estimate` returns for the task
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
  toData: (task: Each, estimate: TaskEstimate | null) => unknown = (task) => task,
): ByteStream {
  const encoder = new TextEncoder();
  const iterator = tasks[Symbol.asyncIterator]();
  const messages: KeepAlive = new KeepAlive(tasks, async () => {
    const next = await iterator.next();
    if (next.done) return null;
    const data = JSON.stringify((await toData(next.value, messages.estimate(next.value))) ?? null) ?? "null";
    return `data: ${data}\n\n`;
  });
  let isCanceled = false;
  return byteStream({
    async pull(controller) {
      try {
        const message = await messages.next(":\n\n");
        if (isCanceled) return;
        if (message !== null) return controller.enqueue(encoder.encode(message));
      } catch (error) {
        if (!messages.isAborted(error)) controller.enqueue(encoder.encode(waitError(error)));
        await iterator.return?.();
      }
      messages.stop();
      controller.close();
    },
    async cancel() {
      isCanceled = true;
      messages.stop();
      await iterator.return?.();
    },
  });
}

function waitError(error: unknown): string {
  const isOurs = error instanceof AsyncMusicError;
  const data = isOurs ? { name: error.name, task_id: error.taskId } : { name: "Error", task_id: null };
  return `event: wait_error\ndata: ${JSON.stringify(data)}\n\n`;
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
  // The service may send anything as progress.
  const progress: unknown = task.output?.progress;
  const text = typeof progress === "string" || typeof progress === "number" ? String(progress) : "";
  const [, percentage, number = "0"] = PERCENTAGE.exec(text.slice(0, LONGEST_PROGRESS)) ?? [];
  return Math.min(1, Number((percentage ?? number).replace(",", ".")) / 100);
}

/**
 * Returns when the audio of a task expires: seven days after the task completed, by the service's clock, every `audio_url`
 * of its clips permanently returns 404 (Limits). `null` until the task has ended, and without a `completed_at`. Cover art,
 * and audio that the service could not store, expire on the provider's own schedule.
 *
 * @example
 * ```ts
 * const song = await client.tasks.wait(taskId);
 * console.log(`Download it before ${expiresAt(song)?.toISOString()}`);
 * ```
 */
export function expiresAt(task: { status: string; completed_at: string | null }): Date | null {
  const completedAt = isFinalStatus(task.status) ? parseDate(task.completed_at) : null;
  return completedAt === null ? null : dateAt(completedAt + LIMITS.audioLifetimeMs);
}

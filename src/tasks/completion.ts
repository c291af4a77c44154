import type { Task } from "../contract/task.js";
import type { Context } from "../http/context.js";
import type { ApiResponse, Result } from "../http/outcome.js";
import { parseDate } from "../time/date.js";

/** Emits the end of a task, which a poll has just found. */
export function emitCompletion(
  { emitter, redactor }: Pick<Context, "emitter" | "redactor">,
  tenant: string | undefined,
  { data, response }: Result<Task>,
): void {
  emitter.emit("completion", () => {
    const completedAt = parseDate(data.completed_at);
    const discoveryMs = completedAt === null ? null : Math.max(0, sentAt(response) - completedAt);
    return { task: redactor.data(data), tenant: tenant ?? null, discoveryMs };
  });
}

/** When the service sent a response, by its own clock. `Date` has whole seconds: if the client's clock agrees, it has the rest. */
function sentAt({ headers, receivedAt }: ApiResponse): number {
  const date = parseDate(headers.get("Date"));
  return date === null ? receivedAt : Math.min(Math.max(receivedAt, date), date + 999);
}

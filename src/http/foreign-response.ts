import { HEADERS } from "../contract/service.js";
import type { Call } from "./context.js";
import type { RecentIds } from "./ids.js";
import type { ApiResponse, Unusable } from "./outcome.js";

/**
 * Whether the `X-Request-Id` of a response is that of another request of this client. Ids that the client never sent, such as
 * those of a gateway, mean nothing.
 */
export function namesAnotherRequest(headers: Headers, requestId: string, sent: RecentIds): boolean {
  const header = headers.get(HEADERS.requestId);
  if (header === null || header === requestId) return false;
  const named = header.split(",").map((id) => id.trim().toLowerCase());
  return !named.includes(requestId.toLowerCase()) && named.some((id) => sent.has(id));
}

/** The outcome of a success that names another task; `null` if it names the task of this call, or none. Remembers a new task. */
export function foreignTask(
  response: ApiResponse,
  call: Call,
  requestId: string,
  tasks: RecentIds,
): Unusable | null {
  const { status, headers, taskId: named } = response;
  // The schema of the response reports an ID that is missing.
  if (status < 200 || status >= 300 || typeof named !== "string") return null;
  if (call.taskId !== undefined) {
    const isSame = named.toLowerCase() === call.taskId.toLowerCase();
    return isSame ? null : foreign("data.task_id", "is not the requested task ID");
  }
  if (call.method !== "POST" || named === "" || tasks.add(named)) return null;
  // An emulator gives the same IDs again after a reset. It echoes the request ID, so its response to this request is accepted.
  if (headers.has("X-Emulator") && headers.get(HEADERS.requestId) === requestId) return null;
  return foreign("data.task_id", "belongs to an earlier submission");
}

/** Status and body of a response that belongs to another request say nothing about this one. */
export function foreign(path: string, message: string): Unusable {
  return { kind: "foreign", status: null, text: "", issue: { path, message }, remaining: null };
}

import { DEEPEST_NESTING, nestsDeeper } from "../contract/nesting.js";
import { resultSchemas, taskSchema } from "../contract/responses.js";
import { ENDPOINTS, isTaskType, recordOf } from "../contract/service.js";
import type { Task } from "../contract/task.js";
import { resumeAdvice } from "../errors/base.js";
import type { Call, Context } from "../http/context.js";
import { invalidResponse, judgeRead } from "../http/failure.js";
import type { ApiResponse, Result, Tried } from "../http/outcome.js";
import { parseData } from "../http/parse-data.js";
import type { RequestOptions } from "../http/request-options.js";
import { attempt } from "../http/send.js";
import type { RequestKind } from "../rate-limit/pacer.js";
import type { TenantOptions } from "./tenant.js";
import { sendOrJoin, type UnsentReads } from "./unsent-reads.js";

export function retrieveCall(
  taskId: string,
  kind: Extract<RequestKind, "read" | "poll">,
  tenant: string | undefined,
  journalKey?: string,
): Call {
  const { method, path } = ENDPOINTS.retrieveTask;
  return {
    method,
    path: path.replace("{taskId}", () => encodeURIComponent(taskId)),
    kind,
    tenant,
    purpose: kind === "poll" ? `wait for task ${taskId}` : `retrieve task ${taskId}`,
    taskId,
    ...(kind === "poll" ? { advice: () => resumeAdvice(journalKey, taskId) } : {}),
    adviceIfNotFound: () => notFoundAdvice(journalKey),
  };
}

/** Reads a task once. `type`: what was ordered, if it is known. */
export async function retrieveTask(
  context: Context,
  reads: UnsentReads,
  taskId: string,
  type: string | undefined,
  { tenant, ...options }: RequestOptions & TenantOptions,
): Promise<Result<Task>> {
  const call = retrieveCall(taskId, "read", tenant);
  const response = await sendOrJoin(context, reads, call, options);
  const reading = { data: parseTask(context, call, response), response };
  checkResult(context, call, reading, type);
  return reading;
}

/** Reads a task once. The pacer has admitted the poll. */
export async function pollTask(
  context: Context,
  call: Call,
  options: RequestOptions & { requestId: string },
): Promise<Tried<Result<Task>>> {
  const tried = await attempt(context, call, options, judgeRead, options.requestId);
  if (!("result" in tried)) return tried;
  const response = tried.result;
  try {
    const data = parseTask(context, call, response);
    if (!nestsDeeper(data, DEEPEST_NESTING)) return { result: { data, response } };
    const issues = [{ path: "data", message: `nests deeper than ${DEEPEST_NESTING} levels` }];
    throw invalidResponse({ ...response, context, call }, issues);
  } catch (error) {
    return { error, mayResend: true };
  }
}

function parseTask(context: Context, call: Call, response: ApiResponse): Task {
  const task = parseData(context, call, response, taskSchema);
  // Nothing relies on the input, so that any other value becomes an empty one.
  task.input = recordOf(task.input);
  // A task of a listed type has an output, since its result is checked.
  if (task.status === "success") task.output ??= { result: null };
  // test/types/contract-schemas.test-d.ts proves that the fields are those of a `Task`, but for its input and its result.
  return task as Task;
}

/** Checks the result of a task if it succeeded: that of the type that was ordered, if it is known and listed. */
export function checkResult(
  context: Context,
  call: Call,
  { data, response }: Result<Task>,
  ordered: string | undefined,
): void {
  const type = isTaskType(ordered) ? ordered : data.type;
  if (data.status !== "success" || !isTaskType(type)) return;
  const path = ["data", "output", "result"];
  const json = { data: data.output.result };
  parseData<unknown>(context, call, { ...response, json }, resultSchemas[type], path);
}

function notFoundAdvice(journalKey?: string): string {
  return journalKey === undefined
    ? "Check that this is a task ID, not a clip ID, and that the API key belongs to its account."
    : `The journal names this task under ${JSON.stringify(journalKey)}: it may belong to another account, or to an ` +
        "emulator that has ended. Use the same journal key with the API key of that account.";
}

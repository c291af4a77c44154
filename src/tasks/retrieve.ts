import { isTaskType } from "../contract/models.js";
import { resultSchemas, taskSchema } from "../contract/responses.js";
import type { SucceededTask, Task } from "../contract/task.js";
import type { Answer, Call, RequestOptions } from "../http/call.js";
import { checkOptionNames } from "../http/option-names.js";
import { invalidResponse, parseAnswer } from "../http/parse-answer.js";
import type { Transport } from "../http/transport.js";
import { judgeRead } from "../http/verdict.js";
import { retrieveCall } from "./calls.js";
import { TASK_OPTIONS } from "./options.js";

/** How deeply a task may nest that a wait compares, copies and shows: what is deeper would break these on their way. */
const DEEPEST_TASK = 1000;

/** A task, and the answer in which it came. */
export interface Reading {
  data: Task;
  answer: Answer;
}

/** Reads a task, with the retries of a read. */
export async function retrieveTask(
  transport: Transport,
  taskId: string,
  options: RequestOptions,
): Promise<Reading> {
  const own = checkOptionNames(options, TASK_OPTIONS, transport.redactor);
  const call = retrieveCall(taskId, "read", transport.redactor);
  const reading = readingOf(transport, call, await transport.send(call, own, judgeRead));
  if (reading.data.status === "success") checkResult(transport, call, reading);
  return reading;
}

/** Reads a task once, for a wait that the pacer has admitted. */
export async function pollTask(transport: Transport, call: Call, options: RequestOptions): Promise<Reading> {
  const reading = readingOf(transport, call, await transport.sendOnce(call, options, judgeRead));
  if (!nestsDeeper(reading.data, DEEPEST_TASK)) return reading;
  const issues = [{ path: "data", message: `nests deeper than ${DEEPEST_TASK} levels` }];
  throw invalidResponse(call, reading.answer.requestId, issues, transport.redactor);
}

/** A task that succeeded, with the result that its type promises. */
export function succeededTask(transport: Transport, call: Call, reading: Reading): SucceededTask {
  checkResult(transport, call, reading);
  return reading.data as SucceededTask;
}

function readingOf({ redactor }: Transport, call: Call, answer: Answer): Reading {
  return { data: parseAnswer(call, answer, taskSchema, redactor) as Task, answer };
}

/** On `success` the output is filled (Output wrapper); the result of a type that is not known can't be checked. */
function checkResult({ redactor }: Transport, call: Call, { data, answer }: Reading): void {
  if (!isTaskType(data.type)) return;
  const parsed = resultSchemas[data.type].safeParse(data.output?.result ?? null);
  if (parsed.success) return;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: ["data", "output", "result", ...path.map(String)].join("."),
    message,
  }));
  throw invalidResponse(call, answer.requestId, issues, redactor);
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => nestsDeeper(part, levels - 1));
}

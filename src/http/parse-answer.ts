import { InvalidResponseError } from "../errors/connection-errors.js";
import type { Answer, Call } from "./call.js";
import { failureMessage } from "./failure-message.js";
import type { Redactor } from "./redactor.js";

/** What is needed of a zod schema. */
export interface AnswerSchema<Data> {
  safeParse(
    data: unknown,
  ): { success: true; data: Data } | { success: false; error: { issues: readonly SchemaIssue[] } };
}

interface SchemaIssue {
  path: readonly PropertyKey[];
  message: string;
  code?: string | undefined;
}

/** The `data` of an answer of success, checked against what the contract requires of it. */
export function parseAnswer<Data>(
  call: Call,
  answer: Answer,
  schema: AnswerSchema<Data>,
  redactor: Redactor,
  taskId = call.taskId,
): Data {
  const data = dataOf(answer);
  const parsed = data === undefined ? null : schema.safeParse(data);
  if (parsed?.success) return parsed.data;

  const issues = parsed?.error.issues.map(toIssue) ?? [
    { path: "", message: "is not JSON of the form { code, data }" },
  ];
  throw invalidResponse(call, answer.requestId, issues, redactor, taskId);
}

/** The `task_id` of a success body, whatever it is. */
export function taskIdIn(answer: Pick<Answer, "json">): unknown {
  return fieldOf(dataOf(answer), "task_id");
}

/** The `data` of a success body; `undefined` where there is none to be read. */
function dataOf({ json }: Pick<Answer, "json">): unknown {
  return fieldOf(json, "data");
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** The error for an answer of success that breaks the contract. */
export function invalidResponse(
  call: Call,
  answeredId: string,
  issues: readonly { path: string; message: string }[],
  redactor: Redactor,
  taskId = call.taskId,
): InvalidResponseError {
  const requestId = redactor.text(answeredId);
  const what = issues.map(({ path, message }) => `\`${path === "" ? "body" : path}\` ${message}`).join("; ");
  return new InvalidResponseError(
    failureMessage(call, `the answer breaks the service's contract: ${redactor.text(what)}`, requestId),
    { requestId, issues, taskId },
  );
}

function toIssue({ path, message }: SchemaIssue): { path: string; message: string } {
  return { path: ["data", ...path.map(String)].join("."), message };
}

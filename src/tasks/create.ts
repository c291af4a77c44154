import { findRequestViolation } from "../contract/request-rules.js";
import { taskSubmissionSchema } from "../contract/responses.js";
import type { TaskSubmission } from "../contract/task.js";
import { InvalidRequestError } from "../errors/base.js";
import type { Answer, Call, RequestOptions } from "../http/call.js";
import { parseAnswer, taskIdIn } from "../http/parse-answer.js";
import type { Redactor } from "../http/redactor.js";
import type { Transport } from "../http/transport.js";
import { isTaskId, resumeAdvice } from "./calls.js";
import { judgeSubmission, submissionOutcomeUnknown } from "./judge-submission.js";

/** What the service accepted, and the answer in which it said so. */
export interface Created {
  data: TaskSubmission;
  answer: Answer;
}

/** The body of a request, checked: what is checked is what will be sent, without `undefined`, as it stands now. */
export function createBody(request: unknown, validates: boolean): string {
  const body = serialise(request);
  const violation = validates ? findRequestViolation(JSON.parse(body)) : null;
  if (violation !== null) throw new InvalidRequestError(violation.errorCode, violation.issues);
  return body;
}

/** Submits a task: sends it once, and answers what the service accepted. */
export async function createTask(
  transport: Transport,
  call: Call,
  options: RequestOptions,
): Promise<Created> {
  const answer = await transport.send(call, options, judgeSubmission);
  const { clock, redactor, ids } = transport;
  const taskId = createdTaskId(answer, redactor);
  if (taskId === null) {
    const outcome = { kind: "answered", answer } as const;
    const { requestId } = answer;
    throw submissionOutcomeUnknown({
      call,
      requestId,
      outcome,
      timeoutMs: 0,
      now: clock.now(),
      redactor,
      ids,
    });
  }

  const accepted = { ...call, advice: `The task was created. ${resumeAdvice(taskId)}` };
  const data = parseAnswer(accepted, answer, taskSubmissionSchema, redactor, taskId);
  return { data: data as TaskSubmission, answer };
}

function serialise(request: unknown): string {
  try {
    const body: string | undefined = JSON.stringify(request);
    if (body !== undefined) return body;
  } catch {
    // Cycles and big integers: said below.
  }
  throw new InvalidRequestError("invalid_json", [
    { path: "", message: "must be a value that JSON can hold" },
  ]);
}

/** What can't be waited for is no id: the task that was paid for would pass for one that was never sent. */
function createdTaskId(answer: Answer, redactor: Redactor): string | null {
  const taskId = taskIdIn(answer);
  return isTaskId(taskId, redactor) && taskId.trim() !== "" ? taskId : null;
}

import { ENDPOINTS } from "../../../src/contract/wire.js";
import { findTask } from "../../core/state/world.js";
import { readTask } from "../../core/transitions.js";
import { jsonAnswer } from "../answers.js";
import type { Answer } from "../exchange.js";
import { Refusal } from "../refusal.js";
import { taskData } from "../task-data.js";
import type { Visit } from "../visit.js";
import { callerOf } from "./caller.js";

/** `GET /api/v1/task/{taskId}`: the read that asks the provider, and moves the task. */
export function retrieveTaskEndpoint(visit: Visit): Answer {
  const { world, exchange, now, params } = visit;
  const { account } = callerOf(visit);
  const [taskId = ""] = params;
  const found = findTask(world, taskId.toLowerCase());
  if (found === undefined || found.accountId !== account.id) {
    throw new Refusal("task_not_found", "Failed to find the task: the account has none with this id");
  }
  const task = readTask(world, account, found, now);
  const { status } = ENDPOINTS.retrieveTask;
  return jsonAnswer(status, { code: status, data: taskData(task, now, exchange.origins) });
}

import type { StoredAccount } from "../../core/accounts.js";
import { findTask } from "../../core/core.js";
import { readTask } from "../../core/transitions.js";
import { Refusal } from "../refusal.js";
import type { RequestContext } from "../request-context.js";
import { taskJson } from "../task-data.js";

/** The read that polls the provider, and settles or refunds the task. */
export function readOwnTask({ core, request, now, params }: RequestContext, account: StoredAccount): string {
  const [taskId = ""] = params;
  const found = findTask(core, taskId);
  if (found === undefined || found.accountId !== account.id)
    throw new Refusal("task_not_found", "The account has no task with this ID.");
  return taskJson(readTask(core, account, found, now), now, request.origins);
}

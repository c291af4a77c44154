import type { TaskType } from "../../../../src/contract/service.js";
import type { Task } from "../../../../src/contract/task.js";
import type { TaskDetails } from "../../client/client.js";

/** The boundary at which the control plane's task is the wire's: it says so of it, and describes only its beginning. */
export function taskOf({ task }: TaskDetails): Task<TaskType> {
  return task as unknown as Task<TaskType>;
}

import { UnknownIdError } from "../core/checks.js";
import { type Core, findTask } from "../core/core.js";
import { applyTimeouts } from "../core/transitions.js";
import { requireAccount } from "./require-account.js";

/**
 * A task as every look finds it: with the hour applied, which may put another in its place.
 *
 * @throws RangeError when there is no such task.
 */
export function requireTask(core: Core, taskId: string) {
  const found = findTask(core, taskId);
  if (found === undefined) throw new UnknownIdError("task", taskId);
  applyTimeouts(core, requireAccount(core, found.accountId), core.clock.now());
  return core.state.tasks[found.ordinal] ?? found;
}

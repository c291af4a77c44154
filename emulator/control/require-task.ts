import { UnknownIdError } from "../core/checks.js";
import { findTask, type World } from "../core/state/world.js";
import { applyTimeouts } from "../core/transitions.js";
import { requireAccount } from "./require-account.js";

/**
 * A task as every look finds it: with the hour applied, which may put another in its place.
 *
 * @throws RangeError when there is no such task.
 */
export function requireTask(world: World, taskId: string) {
  const found = findTask(world, taskId);
  if (found === undefined) throw new UnknownIdError("task", taskId);
  applyTimeouts(world, requireAccount(world, found.accountId), world.clock.now());
  return world.state.tasks[found.ordinal] ?? found;
}

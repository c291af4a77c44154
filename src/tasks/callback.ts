import { AsyncMusicError } from "../errors/base.js";
import type { Redactor } from "../http/redactor.js";
import { resumeAdvice } from "./calls.js";

/**
 * Calls back into the application. What it throws ends the wait, and must not lose a task that is paid for: the error
 * carries its id.
 */
export async function callBack<Value>(
  name: string,
  callback: ((value: Value) => void | Promise<void>) | undefined,
  value: Value,
  taskId: string,
  redactor: Redactor,
): Promise<void> {
  try {
    await callback?.(value);
  } catch (error) {
    const message = `Failed to wait for task ${taskId}: \`${name}\` threw. ${resumeAdvice(taskId)}`;
    throw new AsyncMusicError(message, { taskId, cause: redactor.cause(error) });
  }
}

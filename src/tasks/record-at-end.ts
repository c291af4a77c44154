import { isFinalStatus } from "../contract/task.js";
import { AsyncMusicError } from "../errors/base.js";
import type { JournalError } from "../errors/journal-errors.js";
import { TaskFailedError } from "../errors/task-errors.js";
import type { Redactor } from "../http/redactor.js";
import type { Ordered } from "../journal/submit-once.js";
import { callBack } from "./callback.js";

/**
 * Carries on a run whose task the journal could not record, and tries that again when it has ended. A song that is
 * there is answered in any case; an error that does not name the task gives way to one that does.
 */
export async function recordAtEnd<Value>(
  recordAgain: NonNullable<Ordered["recordAgain"]>,
  carryOn: () => Promise<Value>,
  onUnrecorded: ((error: JournalError) => void | Promise<void>) | undefined,
  redactor: Redactor,
): Promise<Value> {
  const ended = await carryOn().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const failure = await recordAgain();
  if (failure !== null) {
    await callBack("onUnrecorded", onUnrecorded, failure, failure.taskId ?? "", redactor);
    if ("error" in ended && !namesTask(ended.error, failure.taskId)) throw failure;
  }
  if ("error" in ended) throw ended.error;
  return ended.value;
}

/** Waits for a run, and records how its task ended, if it did. */
export async function closeAtEnd<Value>(ended: Promise<Value>, close: Ordered["close"]): Promise<Value> {
  try {
    const value = await ended;
    await close("success");
    return value;
  } catch (error) {
    if (error instanceof TaskFailedError && isFinalStatus(error.task.status)) await close(error.task.status);
    throw error;
  }
}

/** The reason of an abort may name another task. */
function namesTask(error: unknown, taskId: string | null): boolean {
  return error instanceof AsyncMusicError && error.taskId === taskId;
}

import type { RunOptions, TaskType } from "../../index.js";
import { fileJournal } from "../../node/index.js";
import { connect } from "../connect.js";
import type { RunFlags } from "../flags.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { UsageError } from "../usage-error.js";
import { leaveTask } from "./leave-task.js";
import { requestOf } from "./request.js";
import { watchTask } from "./task-watch.js";

/** Submits a task, waits for it unless it is to be left, and saves what it made. */
export async function runTask(
  type: TaskType | undefined,
  flags: RunFlags,
  surroundings: Surroundings,
): Promise<void> {
  const journal = journalOptions(flags);
  const client = connect(flags, surroundings);
  const request = await requestOf(type, flags, surroundings.stdin);
  const attend = flags.wait ? watchTask : leaveTask;
  const knownTaskId = await recordedTask(journal);
  await attend({ client, flags, surroundings, knownTaskId, type: request.task_type }, (options) =>
    client.tasks.run(request, { ...options, ...journal }),
  );
}

/** The task that stands under the key already, which is paid for. A journal that can't be read is the run's to report. */
async function recordedTask({ journal, journalKey }: Pick<RunOptions, "journal" | "journalKey">) {
  if (journal === undefined || journalKey === undefined) return null;
  const entry = await journal.get(journalKey).catch(() => null);
  return entry?.state === "submitted" ? entry.task_id : null;
}

/** The probe costs one more request, and tells what became of a POST whose answer was lost. */
function journalOptions({ journal, key }: RunFlags) {
  if ((journal === undefined) !== (key === undefined)) {
    throw new UsageError("Expected --journal and --key together, or neither of them");
  }
  if (journal === undefined || key === undefined) return {};
  return { journal: fileJournal(journal), journalKey: key, probe: true };
}

import {
  type AsyncMusic,
  type Journal,
  type RunOptions,
  type SucceededTask,
  TaskFailedError,
} from "async-music";

/** The data of a job. Each name is one song. */
export interface Order {
  name: string;
  description: string;
}

/** Maximum number of tasks per order. Failed ones were refunded. */
const MOST_TAKES = 3;

/** The provider stated a time before which another take must not start. */
export class NotYetError extends Error {
  override name = "NotYetError";
  readonly notBefore: Date;

  constructor(notBefore: Date, cause: TaskFailedError) {
    super(cause.message, { cause });
    this.notBefore = notBefore;
  }
}

/**
 * Fulfills an order. Repeated calls, in any process, continue with the order's task. If a task fails and another may
 * succeed, the next take runs under a key of its own.
 *
 * @throws NotYetError, or the error of the last take, for `judge`
 */
export async function fulfil(
  { name, description }: Order,
  { client, journal, now = Date.now, ...options }: Means,
): Promise<SucceededTask<"music">> {
  for (let take = 1; ; take++) {
    try {
      return await client.tasks.run(
        { model: "provider_a", task_type: "music", input: { gpt_description_prompt: description } },
        { ...options, journal, journalKey: `${name}/${take}` },
      );
    } catch (error) {
      const isFinal = !(error instanceof TaskFailedError) || error.retryable === false;
      if (isFinal || take === MOST_TAKES) throw error;
      const notBefore = nextTakeAt(error);
      if (notBefore.getTime() > now()) throw new NotYetError(notBefore, error);
    }
  }
}

/** The client and the journal. All workers of one queue share the journal. */
export interface Means extends Omit<RunOptions, "journal" | "journalKey"> {
  client: AsyncMusic;
  journal: Journal;
  now?: () => number;
}

function nextTakeAt({ task, retryAfterSeconds }: TaskFailedError): Date {
  return new Date(Date.parse(task.completed_at ?? task.created_at ?? "") + (retryAfterSeconds ?? 0) * 1000);
}

import {
  type AsyncMusic,
  type Journal,
  type RunOptions,
  type SucceededTask,
  TaskFailedError,
} from "async-music";

/** What is queued: plain data, with a name of your own. One name is one song. */
export interface Order {
  name: string;
  description: string;
}

/** A failed task was refunded, so that its order can be tried again: so often in all. */
const MOST_TAKES = 3;

/** Another task may follow a failed one, as its provider said, but not yet. */
export class NotYetError extends Error {
  override name = "NotYetError";
  readonly notBefore: Date;

  constructor(notBefore: Date, cause: TaskFailedError) {
    super(cause.message, { cause });
    this.notBefore = notBefore;
  }
}

/**
 * Fulfils an order, however often it is called for it, by whomever: a take that was paid for is waited for. When the
 * task of a take has failed, and another may succeed, there is another, under a key of its own.
 *
 * @throws NotYetError, or what the last take threw; `judge` says what an engine is to do with it
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

/** What orders are fulfilled with. All who work on one queue share the journal. */
export interface Means extends Omit<RunOptions, "journal" | "journalKey"> {
  client: AsyncMusic;
  journal: Journal;
  now?: () => number;
}

function nextTakeAt({ task, retryAfterSeconds }: TaskFailedError): Date {
  return new Date(Date.parse(task.completed_at ?? task.created_at ?? "") + (retryAfterSeconds ?? 0) * 1000);
}

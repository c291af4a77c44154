import {
  type AsyncMusic,
  type Journal,
  type RunOptions,
  SubmissionOutcomeUnknownError,
  type SucceededTask,
  settleNotCreated,
  TaskFailedError,
} from "async-music";

/** The data of a job. Each name is one song. */
export interface Order {
  name: string;
  description: string;
}

/** Maximum number of tasks per order. Failed ones were refunded. */
const MOST_TAKES = 3;

/** A request waits for the rate limit, and the clocks of two machines differ, by less than this. */
const EARLIER_MS = 3600_000;

/** The order must not continue before this time. */
export class NotYetError extends Error {
  override name = "NotYetError";
  readonly notBefore: Date;

  constructor(notBefore: Date, cause: Error) {
    super(cause.message, { cause });
    this.notBefore = notBefore;
  }
}

/** A task may exist, and only a person can find out. The message has the command that settles the order. */
export class ParkedError extends Error {
  override name = "ParkedError";

  constructor({ journalKey, requestId }: SubmissionOutcomeUnknownError, settleCommand: string) {
    super(
      `A task of ${journalKey} may exist (request ID ${requestId}). Find out which task this request created, then run: ` +
        `${settleCommand} ${journalKey} TASK_ID (or "none" instead of the ID, if there is no task)`,
    );
  }
}

/** The journal keys of an order: one for each take. */
export function journalKeysOf(name: string): string[] {
  return Array.from({ length: MOST_TAKES }, (_, index) => `${name}/${index + 1}`);
}

/**
 * Fulfills an order. Repeated calls, in any process, continue with the order's task. If a task fails and another may
 * succeed, the next take runs under a key of its own. If a worker was killed while it sent the request, the order continues as
 * soon as it is certain that no task was created. If that stays uncertain, the order is parked.
 *
 * @throws NotYetError, ParkedError, or the error of the last take, for `judge`
 */
export async function fulfil(
  { name, description }: Order,
  { client, journal, orderNames, settleCommand, settleAfterMs = 120_000, now = Date.now, ...options }: Means,
): Promise<SucceededTask<"music">> {
  for (let take = 1; ; ) {
    const journalKey = `${name}/${take}`;
    try {
      return await client.tasks.run(
        { model: "provider_a", task_type: "music", input: { gpt_description_prompt: description } },
        { ...options, journal, journalKey, probe: true },
      );
    } catch (error) {
      if (error instanceof SubmissionOutcomeUnknownError && error.taskId === null) {
        const begunAt = Date.parse((await journal.get(journalKey))?.at ?? "");
        const settleAt = begunAt + settleAfterMs;
        if (settleAt > now()) throw new NotYetError(new Date(settleAt), error);
        const journalKeys = (await orderNames(new Date(begunAt - EARLIER_MS))).flatMap(journalKeysOf);
        const age = { olderThanMs: settleAfterMs, clock: { now } };
        const open = await settleNotCreated(client, journal, { journalKeys, ...age });
        if (open.some(({ key }) => key === journalKey)) throw new ParkedError(error, settleCommand);
        continue;
      }
      const isFinal = !(error instanceof TaskFailedError) || error.retryable === false;
      if (isFinal || take === MOST_TAKES) throw error;
      const notBefore = nextTakeAt(error);
      if (notBefore.getTime() > now()) throw new NotYetError(notBefore, error);
      take++;
    }
  }
}

/** The client and the journal. All workers of one queue share the journal. */
export interface Means extends Omit<RunOptions, "journal" | "journalKey" | "probe"> {
  client: AsyncMusic;
  journal: Required<Journal>;
  /** The names of the orders that had not ended at this time: their tasks are subtracted from those of the account. */
  orderNames: (since: Date) => Promise<string[]>;
  /** The command with which a person settles a parked order. */
  settleCommand: string;
  /** Longer than a request can be in flight: at least `timeoutMs` plus 90 s. */
  settleAfterMs?: number;
  now?: () => number;
}

function nextTakeAt({ task, retryAfterSeconds }: TaskFailedError): Date {
  return new Date(Date.parse(task.completed_at ?? task.created_at ?? "") + (retryAfterSeconds ?? 0) * 1000);
}

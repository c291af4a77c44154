import type { AsyncMusic } from "async-music";
import {
  AsyncMusicError,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  settleOutcome,
  TaskFailedError,
  WaitTimeoutError,
} from "async-music";
import type { App, Order, Process } from "async-music/emulator/worlds";
import { BatchShop, SdkShop, StoringShop, TwoStepShop } from "./sdk-shop.js";

const DAY_MS = 86_400_000;

/** A shop whose runs have other options. */
const withOptions = (
  change: (process: Process, order: Order) => Partial<ReturnType<SdkShop["options"]>>,
): SdkShop =>
  new (class extends SdkShop {
    override options(process: Process, order: Order) {
      return { ...super.options(process, order), ...change(process, order) };
    }
  })();

/** A shop that gives orders up for this reason after some errors. */
const givesUp = (
  reason: Parameters<Process["giveUp"]>[1],
  isGivenUp: (error: unknown, process: Process) => boolean,
): SdkShop =>
  new (class extends SdkShop {
    override async afterError(process: Process, client: AsyncMusic, order: Order, error: unknown) {
      if (isGivenUp(error, process)) return process.giveUp(order, reason);
      await super.afterError(process, client, order, error);
    }
  })();

/** Shops with the SDK: each has one bug. */
export const SDK_BUGS: Record<string, App> = {
  "there is no journal": new (class extends SdkShop {
    override async run({ signal }: Process, client: AsyncMusic, order: Order) {
      return (await client.tasks.run(order.request, { signal })).task_id;
    }
  })(),
  "each start has a journal key of its own": withOptions(({ life }, { id }) => ({
    journalKey: `${id} ${life}`,
  })),
  "each process has journal keys of its own": withOptions(({ name }, { id }) => ({
    journalKey: `${name} ${id}`,
  })),
  "each attempt has a journal key of its own": withOptions(({ random }, { id }) => ({
    journalKey: `${id} ${random()}`,
  })),
  "the journal is in the memory of the process": withOptions(() => ({ journal: memoryJournal() })),
  "an unknown outcome is settled by a guess": new (class extends SdkShop {
    override async afterError(process: Process, client: AsyncMusic, order: Order, error: unknown) {
      if (
        !(error instanceof SubmissionOutcomeUnknownError) ||
        error.taskId !== null ||
        error.checkAgainAt !== null
      )
        return super.afterError(process, client, order, error);
      await settleOutcome(process.journal, order.id, null);
      throw error;
    }
  })(),
  "an unknown outcome counts as a refusal": givesUp(
    "refused",
    (error) => error instanceof SubmissionOutcomeUnknownError,
  ),
  "a timeout of the wait counts as a failed task": givesUp(
    "failed",
    (error) => error instanceof WaitTimeoutError,
  ),
  "every error counts as a failed task": givesUp("failed", (_, { signal }) => !signal.aborted),
  "the task ID of an error is ignored": givesUp(
    "unknown",
    (error) => error instanceof SubmissionOutcomeUnknownError,
  ),
  "an unknown outcome deletes the journal entry": new (class extends SdkShop {
    override async afterError(process: Process, client: AsyncMusic, order: Order, error: unknown) {
      if (error instanceof SubmissionOutcomeUnknownError) {
        const entry = await process.journal.get(order.id);
        if (entry !== null) await process.journal.delete(order.id, entry.revision);
      }
      await super.afterError(process, client, order, error);
      if (error instanceof SubmissionOutcomeUnknownError) throw error;
    }
  })(),
  "every error is tried again without the journal": new (class extends SdkShop {
    override async afterError(process: Process, client: AsyncMusic, order: Order, error: unknown) {
      if (process.signal.aborted || error instanceof TaskFailedError)
        return super.afterError(process, client, order, error);
      await process.deliver(order, (await client.tasks.run(order.request)).task_id);
    }
  })(),
  "SIGTERM does not end the wait": withOptions(() => ({ signal: new AbortController().signal })),
  "an abort counts as a refusal": givesUp("refused", (_, { signal }) => signal.aborted),
  "a timer of a minute counts as a failed task": new (class extends SdkShop {
    override async run(process: Process, client: AsyncMusic, order: Order) {
      const late = new Promise<never>((_, reject) => {
        setTimeout(() => reject(new TypeError("too late")), 30_000);
      });
      return Promise.race([super.run(process, client, order), late]);
    }
    override async afterError(process: Process, client: AsyncMusic, order: Order, error: unknown) {
      if (error instanceof TypeError) return process.giveUp(order, "failed");
      await super.afterError(process, client, order, error);
    }
  })(),
  "the task ID is stored after the wait": new (class extends SdkShop {
    override async run(process: Process, client: AsyncMusic, order: Order) {
      const known = await process.storage.get(order.id);
      if (known !== null) return known;
      const { task_id } = await client.tasks.run(order.request, { signal: process.signal });
      await process.storage.set(order.id, task_id);
      return task_id;
    }
  })(),
  "the task ID is stored after the response": new (class extends SdkShop {
    override async run(process: Process, client: AsyncMusic, order: Order) {
      let id = await process.storage.get(order.id);
      if (id === null) {
        id = (await client.tasks.create(order.request, { signal: process.signal })).task_id;
        await process.storage.set(order.id, id);
      }
      return (await client.tasks.wait(id, { signal: process.signal })).task_id;
    }
  })(),
  "the order is marked as sent, and never looked for": new (class extends SdkShop {
    override async serve(process: Process, client: AsyncMusic, order: Order) {
      if (!(await process.storage.add(order.id, "sent"))) return;
      await super.serve(process, client, order);
    }
  })(),
  "the wait ends after ten seconds as a failure": new (class extends TwoStepShop {
    override async wait(process: Process, client: AsyncMusic, _order: Order, taskId: string) {
      await client.tasks
        .wait(taskId, { maxWaitMs: 10_000, signal: process.signal })
        .catch((error: unknown) => {
          throw process.signal.aborted ? error : new TypeError("too late", { cause: error });
        });
    }
    override async afterError(process: Process, client: AsyncMusic, order: Order, error: unknown) {
      if (error instanceof TypeError) return process.giveUp(order, "failed");
      await super.afterError(process, client, order, error);
    }
  })(),
  "the order is delivered when it is submitted": new (class extends TwoStepShop {
    override async wait() {}
  })(),
  "a batch has no journal": new (class extends BatchShop {
    override batchOptions({ signal }: Process): ReturnType<BatchShop["batchOptions"]> {
      return { signal, concurrency: 2 } as ReturnType<BatchShop["batchOptions"]>;
    }
  })(),
  "a batch ends at the first error": new (class extends BatchShop {
    override async isContinued(process: Process, client: AsyncMusic, order: Order, error: unknown) {
      if (error instanceof TaskFailedError) return false;
      return super.isContinued(process, client, order, error);
    }
  })(),
  "a batch numbers its journal keys by position": new (class extends BatchShop {
    override batchOptions(process: Process) {
      return { ...super.batchOptions(process), journalKey: (_: unknown, index: number) => `song ${index}` };
    }
  })(),
  "the audio is stored after the delivery": new (class extends StoringShop {
    override async run(process: Process, client: AsyncMusic, order: Order) {
      const song = await client.tasks.run(order.request, this.options(process, order));
      await process.deliver(order, song.task_id);
      return super.run(process, client, order);
    }
  })(),
  "the audio is stored eight days later": new (class extends StoringShop {
    override async store(process: Process, client: AsyncMusic, order: Order, url: string) {
      await process.clock.sleep(8 * DAY_MS, process.signal);
      await super.store(process, client, order, url);
    }
  })(),
  "a download that fails counts as expired": new (class extends StoringShop {
    override async afterError(process: Process, client: AsyncMusic, order: Order, error: unknown) {
      if (error instanceof AsyncMusicError && error.name === "AudioDownloadError")
        return process.giveUp(order, "expired");
      await super.afterError(process, client, order, error);
    }
  })(),
  "a song without a journal is stored twice": new (class extends StoringShop {
    override options({ signal }: Process) {
      return { signal } as ReturnType<StoringShop["options"]>;
    }
  })(),
};

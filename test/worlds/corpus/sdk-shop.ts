import {
  ApiError,
  AsyncMusic,
  AsyncMusicError,
  AudioExpiredError,
  SubmissionOutcomeUnknownError,
  settleNotCreated,
  TaskFailedError,
} from "async-music";
import type { App, Order, Process } from "async-music/emulator/worlds";

/** A shop that uses the SDK with a journal. A bug replaces one of the steps. */
export class SdkShop implements App {
  async start(process: Process): Promise<void> {
    const client = new AsyncMusic(process.connection());
    for (const order of process.orders) await this.serve(process, client, order);
  }

  async serve(process: Process, client: AsyncMusic, order: Order): Promise<void> {
    try {
      await process.deliver(order, await this.run(process, client, order));
    } catch (error) {
      await this.afterError(process, client, order, error);
    }
  }

  async run(process: Process, client: AsyncMusic, order: Order): Promise<string> {
    const { task_id } = await client.tasks.run(order.request, this.options(process, order));
    return task_id;
  }

  options(process: Process, order: Order) {
    return { journal: process.journal, journalKey: order.id, signal: process.signal };
  }

  async afterError(process: Process, _client: AsyncMusic, order: Order, error: unknown): Promise<void> {
    if (process.signal.aborted) return;
    if (error instanceof TaskFailedError) return process.giveUp(order, "failed");
    // The next start continues with the recorded task.
    if (error instanceof AsyncMusicError && error.taskId !== null) throw error;
    if (error instanceof SubmissionOutcomeUnknownError) return process.giveUp(order, "unknown");
    if (error instanceof ApiError && [400, 402, 403].includes(error.status))
      return process.giveUp(order, "refused");
    throw error;
  }
}

/** Sends all orders as one batch. */
export class BatchShop extends SdkShop {
  override async start(process: Process): Promise<void> {
    const client = new AsyncMusic(process.connection());
    const { orders } = process;
    const requests = orders.map(({ request }) => request);
    try {
      for await (const { index, task, error } of client.tasks.runAll(requests, this.batchOptions(process))) {
        const order = orders[index];
        if (order === undefined) continue;
        if (task) await process.deliver(order, task.task_id);
        else if (!(await this.isContinued(process, client, order, error))) return;
      }
    } catch (error) {
      if (!process.signal.aborted) throw error;
    }
  }

  batchOptions({ journal, signal, orders }: Process) {
    return {
      journal,
      signal,
      concurrency: 2,
      journalKey: (_: unknown, index: number) => orders[index]?.id ?? "",
    };
  }

  async isContinued(process: Process, client: AsyncMusic, order: Order, error: unknown): Promise<boolean> {
    await this.afterError(process, client, order, error);
    return true;
  }
}

/** Submits first, and waits afterwards. */
export class TwoStepShop extends SdkShop {
  override async run(process: Process, client: AsyncMusic, order: Order): Promise<string> {
    const { task_id: taskId } = await client.tasks.create(order.request, this.options(process, order));
    await this.wait(process, client, order, taskId);
    return taskId;
  }

  async wait(process: Process, client: AsyncMusic, order: Order, _taskId: string): Promise<void> {
    await client.tasks.run(order.request, this.options(process, order));
  }
}

/** Settles an unknown outcome by evidence, as the guide on duplicate charges says, and then runs the order again. */
export class SettlingShop extends SdkShop {
  override async afterError(process: Process, client: AsyncMusic, order: Order, error: unknown) {
    if (!(error instanceof SubmissionOutcomeUnknownError) || error.taskId !== null || process.signal.aborted)
      return super.afterError(process, client, order, error);
    await process.clock.sleep(125_000, process.signal).catch(() => {});
    if (process.signal.aborted) return;
    const left = await settleNotCreated(client, process.journal, { journalKeys: [order.id] });
    if (left.length > 0) return process.giveUp(order, "unknown");
    return this.serve(process, client, order);
  }
}

/** Orders another take, with a key of its own, if a task fails. */
export class RetakingShop extends SdkShop {
  override async run(process: Process, client: AsyncMusic, order: Order): Promise<string> {
    const { journal, signal } = process;
    for (let take = 1; ; take++) {
      try {
        const options = { journal, signal, journalKey: `${order.id}/${take}` };
        return (await client.tasks.run(order.request, options)).task_id;
      } catch (error) {
        if (!(error instanceof TaskFailedError) || error.retryable === false || take === 3) throw error;
        await process.clock.sleep(1000 * (error.retryAfterSeconds ?? 0));
      }
    }
  }
}

/** Stores the audio of a song before the order counts as delivered. */
export class StoringShop extends SdkShop {
  override async run(process: Process, client: AsyncMusic, order: Order): Promise<string> {
    const song = await client.tasks.run(order.request, this.options(process, order));
    if (song.type === "music") {
      for (const clip of song.output.result) await this.store(process, client, order, clip.audio_url);
    }
    return song.task_id;
  }

  async store(process: Process, client: AsyncMusic, order: Order, url: string): Promise<void> {
    const download = await client.audio.download(url, { signal: process.signal });
    const { byteLength } = await download.arrayBuffer();
    await process.storage.set(`${order.id} audio ${url}`, String(byteLength));
  }

  override async afterError(process: Process, client: AsyncMusic, order: Order, error: unknown) {
    if (error instanceof AudioExpiredError) return process.giveUp(order, "expired");
    await super.afterError(process, client, order, error);
  }

  check({ orders, stored }: Parameters<NonNullable<App["check"]>>[0]): void {
    for (const { id, delivered, tasks } of orders) {
      const clips = tasks.flatMap(({ type, output }) =>
        type === "music" && output?.result ? output.result : [],
      );
      const audio = [...stored.keys()].filter((key) => key.startsWith(`${id} audio`));
      if (delivered.length > 0 && audio.length < clips.length)
        throw new Error(`${id} was delivered without its audio`);
    }
  }
}

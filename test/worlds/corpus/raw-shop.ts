import type { App, Order, Process } from "async-music/emulator/worlds";

/** What a POST did, as far as its response shows it. */
type Sent = { taskId: string } | "refused" | "unknown";

/**
 * A shop without the SDK. It claims an order in its database before the POST, records the task after it, and then polls. A bug
 * replaces one of the steps.
 */
export class RawShop implements App {
  async start(process: Process): Promise<void> {
    for (const order of process.orders) await this.serve(process, order);
  }

  async serve(process: Process, order: Order): Promise<void> {
    const taskId = await this.taskOf(process, order);
    if (taskId === "refused" || taskId === "unknown") return process.giveUp(order, taskId);
    await this.finish(process, order, taskId);
  }

  /** The recorded task, or that of a new POST. */
  async taskOf(process: Process, order: Order): Promise<string | "refused" | "unknown"> {
    for (let checks = 0; checks < 40; checks++) {
      const recorded = await process.storage.get(`${order.id} task`);
      if (recorded !== null) return recorded;
      if (await this.claim(process, order)) return this.submit(process, order);
      // Another worker has claimed the order, or an earlier life of this one.
      await process.clock.sleep(5000);
    }
    return "unknown";
  }

  claim({ storage }: Process, { id }: Order): Promise<boolean> {
    return storage.add(`${id} claim`, "taken");
  }

  async submit(process: Process, order: Order): Promise<string | "refused" | "unknown"> {
    const sent = await this.post(process, order);
    if (sent === "refused") await this.release(process, order);
    if (typeof sent === "string") return sent;
    await this.record(process, order, sent.taskId);
    return sent.taskId;
  }

  async release({ storage }: Process, { id }: Order): Promise<void> {
    await persist(() => storage.delete(`${id} claim`));
  }

  async record({ storage }: Process, { id }: Order, taskId: string): Promise<void> {
    await persist(() => storage.set(`${id} task`, taskId));
  }

  async post(process: Process, order: Order): Promise<Sent> {
    for (;;) {
      const response = await this.sendPost(process, order);
      if (response === null) return this.afterLostPost(process, order);
      if (response.status === 429) {
        await this.waitAfter429(process, response);
        continue;
      }
      const text = await response.text().catch(() => "");
      const taskId = this.taskIdIn(text);
      if (taskId !== null) return { taskId };
      return response.status >= 500 || response.status === 202
        ? this.afterUnclear(process, order)
        : "refused";
    }
  }

  async sendPost(process: Process, order: Order): Promise<Response | null> {
    const headers = { "x-api-key": process.apiKey, "Content-Type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(order.request) };
    return send(process, "/api/v1/task", init);
  }

  /** The id in a response, also if the response was cut after it. */
  taskIdIn(text: string): string | null {
    return /"task_id":"([^"]+)"/.exec(text)?.[1] ?? null;
  }

  afterLostPost(_process: Process, _order: Order): Promise<Sent> | Sent {
    return "unknown";
  }

  afterUnclear(_process: Process, _order: Order): Promise<Sent> | Sent {
    return "unknown";
  }

  async waitAfter429({ clock }: Process, { headers }: Response): Promise<void> {
    await clock.sleep(1000 * Number(headers.get("Retry-After") ?? 1));
  }

  /** Polls until the task has ended. */
  async finish(process: Process, order: Order, taskId: string): Promise<void> {
    for (;;) {
      await process.clock.sleep(this.pollMs());
      const task = await this.read(process, taskId);
      if (task === null) continue;
      if (task.status === "success") return this.afterSuccess(process, order, taskId);
      if (this.isFailed(task.status)) return this.afterFailure(process, order, task);
    }
  }

  pollMs(): number {
    return 5000;
  }

  isFailed(status: string): boolean {
    return status === "failure" || status === "timeout";
  }

  async afterSuccess(process: Process, order: Order, taskId: string): Promise<void> {
    await process.deliver(order, taskId);
  }

  async afterFailure(process: Process, order: Order, _task: ReadTask): Promise<void> {
    await process.giveUp(order, "failed");
  }

  /** The task; `null` if this read failed. */
  async read(process: Process, taskId: string): Promise<ReadTask | null> {
    const response = await send(process, `/api/v1/task/${taskId}`, {
      headers: { "x-api-key": process.apiKey },
    });
    if (response === null) return null;
    if (response.status === 429) await this.waitAfter429(process, response);
    if (response.status !== 200) return null;
    return response.json().then(
      ({ data }: { data: ReadTask }) => data,
      () => null,
    );
  }
}

export interface ReadTask {
  status: string;
  retryable: boolean | null;
}

/** `null` if no response came within 30 s. */
export async function send(
  { fetch, baseUrl }: Process,
  path: string,
  init: RequestInit,
): Promise<Response | null> {
  try {
    return await fetch(`${baseUrl}${path}`, { ...init, signal: AbortSignal.timeout(30_000) });
  } catch {
    return null;
  }
}

/** Tries again while the database fails: what is known must not be lost. */
async function persist(write: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

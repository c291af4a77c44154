import type { Order, Process } from "async-music/emulator/worlds";
import { RawShop, type ReadTask, send } from "./raw-shop.js";

/** A shop in which these steps are others. */
const shop = (steps: Partial<RawShop>): RawShop => Object.assign(new RawShop(), steps);

/** Shops without the SDK: each has one bug. */
export const RAW_BUGS: Record<string, RawShop> = {
  "a POST is repeated after a 5xx": new (class extends RawShop {
    override afterUnclear(process: Process, order: Order) {
      return this.post(process, order);
    }
  })(),
  "a POST is repeated after a lost connection": new (class extends RawShop {
    override async afterLostPost(process: Process, order: Order) {
      await process.clock.sleep(1000);
      return this.post(process, order);
    }
  })(),
  "the claim is read and then written": new (class extends RawShop {
    override async claim({ storage }: Process, { id }: Order) {
      if ((await storage.get(`${id} claim`)) !== null) return false;
      await storage.set(`${id} claim`, "taken");
      return true;
    }
  })(),
  "there is no claim": shop({ claim: async () => true }),
  "the claim is written after the POST": new (class extends RawShop {
    override async claim({ storage }: Process, { id }: Order) {
      return (await storage.get(`${id} claim`)) === null;
    }
    override async submit(process: Process, order: Order) {
      const taskId = await super.submit(process, order);
      await super.claim(process, order);
      return taskId;
    }
  })(),
  "the task is recorded when it has ended": new (class extends RawShop {
    override async record() {}
    override async afterSuccess(process: Process, order: Order, taskId: string) {
      await super.record(process, order, taskId);
      await super.afterSuccess(process, order, taskId);
    }
  })(),
  "claims are kept in the memory of the process": new (class extends RawShop {
    readonly #claims = new Set<string>();
    override async claim({ name, life }: Process, { id }: Order) {
      const claim = `${name} ${life} ${id}`;
      return !this.#claims.has(claim) && !!this.#claims.add(claim);
    }
  })(),
  "a claim is never released, and not continued": new (class extends RawShop {
    override async serve(process: Process, order: Order) {
      if (await this.claim(process, order)) await super.serve(process, order);
    }
  })(),
  "the delivery is not awaited": new (class extends RawShop {
    override async finish(process: Process, order: Order, taskId: string) {
      void super.finish(process, order, taskId);
    }
  })(),
  "a task is polled ten times a second": shop({ pollMs: () => 100 }),
  "Retry-After is ignored": shop({ waitAfter429: ({ clock }) => clock.sleep(200) }),
  "a failed read is a failed task": new (class extends RawShop {
    override async read(process: Process, taskId: string) {
      return (await super.read(process, taskId)) ?? { status: "failure", retryable: null };
    }
  })(),
  "a cut response counts as a refusal": new (class extends RawShop {
    override taskIdIn(text: string) {
      try {
        return JSON.parse(text).data.task_id as string;
      } catch {
        return null;
      }
    }
    override afterUnclear() {
      return "refused" as const;
    }
  })(),
  "a 5xx counts as a refusal": shop({ afterUnclear: () => "refused" }),
  "a lost connection counts as a refusal": shop({ afterLostPost: () => "refused" }),
  "the status timeout is not final": shop({ isFailed: (status) => status === "failure" }),
  "the order is delivered before its task has ended": shop({
    finish: (process, order, taskId) => process.deliver(order, taskId),
  }),
  "a failure that is not retryable is sent again": new (class extends RawShop {
    override async afterFailure(process: Process, order: Order, task: ReadTask) {
      const sent = await this.post(process, order);
      if (typeof sent === "string") return super.afterFailure(process, order, task);
      await this.record(process, order, sent.taskId);
      await super.finish(process, order, sent.taskId);
    }
  })(),
  "an unknown outcome frees the claim": new (class extends RawShop {
    override async submit(process: Process, order: Order) {
      const taskId = await super.submit(process, order);
      if (taskId !== "unknown") return taskId;
      await this.release(process, order);
      throw new Error("The order could not be created.");
    }
  })(),
  "a claim is taken over after a minute": new (class extends RawShop {
    override async taskOf(process: Process, order: Order) {
      const first = await super.claim(process, order);
      if (first) return this.submit(process, order);
      await process.clock.sleep(60_000);
      return (await process.storage.get(`${order.id} task`)) ?? this.submit(process, order);
    }
  })(),
  "a failed read is repeated at once": new (class extends RawShop {
    override async read(process: Process, taskId: string): Promise<ReadTask | null> {
      return (await super.read(process, taskId)) ?? this.read(process, taskId);
    }
  })(),
  "a finished order is never looked for": new (class extends RawShop {
    override async finish(process: Process, order: Order, taskId: string) {
      for (let reads = 0; reads < 4; reads++) {
        await process.clock.sleep(5000);
        if ((await this.read(process, taskId))?.status === "success")
          return this.afterSuccess(process, order, taskId);
      }
      await process.giveUp(order, "failed");
    }
  })(),
  "a request has no time limit": new (class extends RawShop {
    override async sendPost({ fetch, baseUrl, apiKey }: Process, order: Order) {
      const headers = { "x-api-key": apiKey, "Content-Type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(order.request) };
      return fetch(`${baseUrl}/api/v1/task`, init).catch(() => null);
    }
  })(),
  "orders are served without an end of waiting for the first": new (class extends RawShop {
    override async start(process: Process) {
      const [first, ...others] = process.orders;
      if (first === undefined) return;
      await this.serve(process, first);
      for (const order of others) await process.storage.set(`${order.id} claim`, "later");
    }
  })(),
  "the balance decides whether a POST was carried out": new (class extends RawShop {
    async #available(process: Process) {
      const response = await send(process, "/api/v1/account/balance", {
        headers: { "x-api-key": process.apiKey },
      });
      const text = (await response?.text()) ?? "";
      return /"available":(\d+)/.exec(text)?.[1] ?? null;
    }
    override async submit(process: Process, order: Order) {
      const before = await this.#available(process);
      const taskId = await super.submit(process, order);
      if (taskId !== "unknown") return taskId;
      return (await this.#available(process)) === before ? "refused" : "unknown";
    }
  })(),
};

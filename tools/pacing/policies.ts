import { FleetPacer } from "../../src/databases/redis/fleet-pacer.js";
import { AsyncMusic } from "../../src/index.js";
import type { Clock } from "../../src/time/clock.js";
import type { Limit, Service } from "./service.js";
import { createSharedWindow } from "./shared-window.js";

/** The service and the clock of a policy's clients. */
export interface Connection {
  service: Service;
  clock: Clock;
  limit: Limit;
  random: () => number;
  processes: number;
}

/** One process that uses the key. Both methods resolve when the task has been found finished. */
export interface Client {
  run(ticket: number, tenant?: string): Promise<unknown>;
  wait(taskId: string, tenant?: string): Promise<unknown>;
}

/** A way of polling. */
export interface Policy {
  name: string;
  /** One client for each process. */
  connect(connection: Connection): Client[];
}

/** The SDK itself with its default options. */
export const OURS: Policy = {
  name: "async-music",
  connect: ({ processes, ...connection }) =>
    Array.from({ length: processes }, () => createClient(connection, {})),
};

/** The SDK in processes that share the key's window: only Redis is replaced, by a count in memory. */
export const FLEET: Policy = {
  name: "redisPacer",
  connect({ processes, ...connection }) {
    const { requests, windowMs } = connection.limit;
    const join = createSharedWindow(connection.clock, { requests, windowMs });
    return Array.from({ length: processes }, () => {
      const pacer = new FleetPacer(connection.clock, join(), { requests, windowMs }, () => {});
      return createClient(connection, { pacer });
    });
  },
};

/** Polls every 5 s, as most clients do. After a 429, waits as long as it states. */
export const FIXED: Policy = createUnpaced("fixed 5 s", () => 5000);

/** Polls at intervals that grow from 5 s to 10 s, with jitter, as careful clients do. */
export const BACKOFF: Policy = createUnpaced(
  "back-off 5-10 s",
  (poll, probability) => Math.min(10_000, 5000 * 1.5 ** poll) * (1 + 0.2 * probability),
);

type ClientOptions = NonNullable<ConstructorParameters<typeof AsyncMusic>[0]>;

function createClient(
  { service, clock, random }: Omit<Connection, "processes">,
  options: ClientOptions,
): Client {
  const { fetch } = service;
  const { tasks } = new AsyncMusic({ apiKey: "key", baseUrl, fetch, clock, random, ...options });
  return {
    run: (ticket, tenant) => tasks.run(songOf(ticket), { tenant }),
    wait: (taskId, tenant) => tasks.wait(taskId, { tenant }),
  };
}

const baseUrl = "https://service.test";

function songOf(ticket: number) {
  const input = { gpt_description_prompt: String(ticket) };
  return { model: "provider_a", task_type: "music", input } as const;
}

/** Clients without a pacer: each request is sent as soon as its own gap and its own 429 allow. */
function createUnpaced(name: string, gapMs: (poll: number, probability: number) => number): Policy {
  return {
    name,
    connect({ service: { fetch }, clock, random, processes }) {
      /** Repeats a request until its status is not 429. */
      const send = async (path: string, init?: RequestInit) => {
        for (;;) {
          const response = await fetch(`${baseUrl}/api/v1/task${path}`, init);
          if (response.status !== 429) return (await response.json()).data;
          const retryAfterMs = 1000 * Number(response.headers.get("Retry-After"));
          await clock.sleep(init === undefined ? Math.max(gapMs(0, random()), retryAfterMs) : retryAfterMs);
        }
      };
      const wait = async (taskId: string) => {
        for (let poll = 0; ; poll++) {
          await clock.sleep(gapMs(poll, random()));
          if ((await send(`/${taskId}`)).status === "success") return;
        }
      };
      const run = async (ticket: number) => {
        const body = JSON.stringify(songOf(ticket));
        await wait((await send("", { method: "POST", body })).task_id);
      };
      return Array.from({ length: processes }, () => ({ run, wait }));
    },
  };
}

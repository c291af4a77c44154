import type { AsyncMusic } from "./client.js";
import type { FailedTask, SucceededTask } from "./contract/task.js";

/** The body of a post of `async-music relay`: how an order ended. Narrow it by `type`. */
export type RelayDelivery = RelayedSuccess | RelayedFailure;

/** An order whose task succeeded. */
export interface RelayedSuccess {
  type: "order.succeeded";
  /** When the task ended, as an ISO 8601 date-time. */
  timestamp: string;
  data: RelayedOrder & {
    /** The task, with its result: narrow it by `type`. */
    task: SucceededTask;
    error: null;
    /** What the function of `--store` returned; absent without `--store`. */
    stored?: unknown;
  };
}

/** An order without a result. */
export interface RelayedFailure {
  type: "order.failed";
  /** When the task ended; if the task could not be read, when the order began. An ISO 8601 date-time. */
  timestamp: string;
  data: RelayedOrder & {
    /** `null` if the task could not be read. */
    task: FailedTask | null;
    /** The error with which the wait for the task ended. `name` is the name of its class, such as `TaskFailedError`. */
    error: { name: string; message: string };
    /** Absent. */
    stored?: undefined;
  };
}

/** The order that a delivery is about. */
export interface RelayedOrder {
  /** The `journalKey` of the order. */
  key: string;
  /** The ID of the task. */
  task_id: string;
}

/** What the function of `--store` receives of each order that succeeded. */
export interface OrderToStore {
  /** The `journalKey` of the order. */
  key: string;
  /** Identifies the end: it is the same if the function is called again. */
  deliveryId: string;
  /** The task, with its result: narrow it by `type`. */
  task: SucceededTask;
  /** The client of the relay: it can download the audio. */
  client: AsyncMusic;
}

/**
 * The default export of the module of `--store`: stores the files of an order. What it returns is posted as `data.stored`, and must be a
 * value of JSON. If it rejects, nothing is posted, and the order is tried again later.
 *
 * @example
 * ```ts
 * import { isMusic, type StoreOrder } from "async-music";
 *
 * const store: StoreOrder = async ({ task, client }) => {
 *   if (!isMusic(task)) return null;
 *   return Promise.all(task.output.result.map(async (clip) => (await client.audio.download(clip)).contentType));
 * };
 * export default store;
 * ```
 */
export type StoreOrder = (order: OrderToStore) => unknown;

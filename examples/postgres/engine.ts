import type { ClientBase } from "pg";
import type { Order } from "../queues/order.ts";

/** A durable engine on PostgreSQL, which executes each order until it has an end. */
export interface Engine {
  /** Queues an order in a transaction of the caller. */
  enqueue(connection: ClientBase, order: Order): Promise<void>;
  /** Starts a worker. A worker that replaces a killed one has its name. */
  work(name: string, fulfilOrder: (order: Order) => Promise<string>): Promise<void>;
  /** Takes no other order. Resolves after the ones that it has begun. */
  close(): Promise<void>;
}

import type { Journal } from "../../src/journal/journal.js";
import type { Emulator } from "../control/emulator.js";
import type { GiveUpReason, Order, Post } from "./app.js";
import type { Mishap, Plan } from "./plan.js";
import type { WorldSubmission, WorldSubmissions } from "./submissions.js";
import type { CheckName } from "./verdict.js";

/** What the processes of a world share. */
export interface Surroundings {
  readonly plan: Plan;
  readonly emulator: Emulator;
  readonly orders: readonly OrderState[];
  readonly journal: Journal;
  readonly stored: Map<string, string>;
  readonly shared: Map<string, unknown>;
  readonly submissions: WorldSubmissions;
  /** Every request that was sent. */
  readonly sent: ProcessRequest[];
  /** What has happened to a process: a mishap, SIGTERM, or a start that was rejected. A plan may have more, which came too late. */
  readonly occurred: Set<Mishap["kind"] | "stop" | "failure">;
  /** The last number that a sending or a receipt has. */
  ordinal: number;
  orderOf(id: string): OrderState;
  /** Reports a promise that the program has broken. */
  accuse(check: CheckName, detail: string): void;
  /** Reports a process that continues without end, and stops the world. */
  stopAs(endless: string): void;
  /** Adds a line to the story. */
  note(actor: string, text: string): NotedLine;
}

/** A line of the story, which can still change. */
export interface NotedLine {
  remove(): void;
  append(text: string): void;
}

/** An order, and what the program has recorded about it. */
export interface OrderState extends Order {
  readonly delivered: string[];
  /** By process: a process that gives up an order does not end it for the others that have it. */
  readonly givenUp: Map<string, { readonly reason: GiveUpReason; readonly at: number }>;
}

/** A request of a process. */
export interface ProcessRequest {
  readonly sender: Post["sender"];
  readonly path: string;
  /** As the story has it: the method, the path, and the order. */
  readonly name: string;
  /** The time of its line in the story. */
  notedAt: number;
  /** When the program sent it. */
  readonly sentAt: number;
  /** Sendings and receipts are numbered together, since several can have the same time. */
  readonly sentOrdinal: number;
  /** When the program received the response; infinite if it did not. */
  receivedAt: number;
  receivedOrdinal: number;
  readonly requestId: string;
  /** The status of the response that the program received. */
  status: number | null;
  /** What a POST submits. */
  readonly submission: WorldSubmission | null;
  /** Until when its receiver must wait, by `Retry-After`. */
  waitUntil: number;
}

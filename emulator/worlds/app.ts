import type { Fetch } from "../../src/contract/fetch.js";
import type { TaskRequest } from "../../src/contract/requests.js";
import type { Task } from "../../src/contract/task.js";
import type { Journal } from "../../src/journal/journal.js";
import type { Connection, Emulator } from "../control/emulator.js";
import type { EmulatorClock } from "../time/clock.js";
import type { Plan } from "./plan.js";

/** The program under test. */
export interface App {
  /**
   * Starts one process of the program. Resolves when the process has no more work, with any value; a rejection is a failed process. The
   * explorer calls `start` for each process, again after each crash or failure, and once more after all faults have ended.
   */
  start(process: Process): Promise<unknown>;
  /** Checks a world at its end, beside the built-in checks. Throw an error, or reject with one: its message is then reported. */
  check?(world: EndedWorld): unknown;
}

/** A song that a customer has ordered, and that may be charged once. */
export interface Order {
  /** `order-1`, `order-2` …; the request contains it, which is how the explorer recognizes the order's tasks. */
  readonly id: string;
  /** What to create. Send it as it is, or with further fields. */
  readonly request: TaskRequest;
}

/**
 * Why an order ends without a song. `"failed"`: its task failed or timed out. `"refused"`: the service refused a POST, and no task
 * succeeded. `"declined"`: the program decided by itself to create no task, for example after a `CreditCeilingError`, and no task
 * succeeded. `"unknown"`: the outcome of the POST is unknown, and a person must decide. `"expired"`: the task succeeded, and its audio
 * had expired.
 */
export type GiveUpReason = "failed" | "refused" | "declined" | "unknown" | "expired";

/**
 * The surroundings of one process. Everything that a process awaits here is a step, at which the process can crash:
 * then no promise that it awaits is ever resolved or rejected, and `start` is called again with what is durable.
 */
export interface Process {
  /** `process 1`, `process 2` …: the same after a restart. */
  readonly name: string;
  /** 1 at the first start, and one more after each restart. */
  readonly life: number;
  /**
   * The orders of this process that are not delivered and that it has not given up, as a queue hands them out: an order can
   * be handed to several processes, and in some worlds again after its end.
   */
  readonly orders: readonly Order[];
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Sends requests to the service. The explorer sees nothing that is sent otherwise. */
  readonly fetch: Fetch;
  /** The clock of this process. In some worlds it is set to another time while the process runs. */
  readonly clock: EmulatorClock;
  /** Returns numbers from 0 up to 1, drawn from the seed. */
  readonly random: () => number;
  /**
   * A journal that all processes share and that survives crashes, such as one in a database. A method that your own journal
   * does not have rejects.
   */
  readonly journal: Required<Journal>;
  /** A key-value store that all processes share and that survives crashes. */
  readonly storage: Storage;
  /**
   * Aborted when the process must end, as by SIGTERM. A program that reads this property must end within 60 s of the abort;
   * any program is killed after 60 s.
   */
  readonly signal: AbortSignal;
  /** Returns the options of an SDK client: `new AsyncMusic(process.connection())`. */
  connection(): Connection;
  /**
   * Returns what `make` returned at the first call with this name: a value that survives crashes, such as a `memoryBudget` that stands
   * for a budget in a database. Make a budget without `journal`: each process has a journal object of its own, and ends with it.
   */
  shared<Value>(name: string, make: () => Value): Value;
  /** Records durably that the customer has the song of this task. */
  deliver(order: Order, taskId: string): Promise<void>;
  /** Records durably that the order ends without a song in this process, and why. */
  giveUp(order: Order, reason: GiveUpReason): Promise<void>;
}

/** A durable key-value store. Each method takes effect completely or not at all. */
export interface Storage {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  /** Sets the value unless the key has one. Resolves with `false`, and changes nothing, if it has. */
  add(key: string, value: string): Promise<boolean>;
  delete(key: string): Promise<void>;
}

/** How an order ended. */
export interface EndedOrder extends Order {
  /** Every task that the service created for the order, in its final status, oldest first. */
  readonly tasks: readonly Task[];
  /** The IDs of the tasks that were delivered. */
  readonly delivered: readonly string[];
  /** The reasons with which the order was given up. */
  readonly givenUp: readonly GiveUpReason[];
  /** Every POST for the order, and what its sender received. */
  readonly posts: readonly Post[];
}

/** A POST that a process sent. */
export interface Post {
  /** The process, its life, and whether this life was killed or failed. */
  readonly sender: { readonly name: string; readonly life: number; readonly isCrashed: boolean };
  /**
   * What the sender received: nothing yet, a 429, another refusal (4xx), a task, or a response that leaves the outcome unknown, such
   * as a 502 or a 202 that was cut.
   */
  readonly received: "nothing" | "limited" | "refusal" | "task" | "unknown";
  /** The ID in the response, even if the response was cut after it. */
  readonly taskId: string | null;
}

/** A world at its end. */
export interface EndedWorld {
  /** What was planned for the world: its orders, processes and faults. */
  readonly plan: Plan;
  readonly orders: readonly EndedOrder[];
  /** The service, with its accounts, ledgers and request log. */
  readonly emulator: Emulator;
  readonly journal: Journal;
  /** Every value in `process.storage`. */
  readonly stored: ReadonlyMap<string, string>;
  /** The values of `process.shared`. */
  readonly shared: ReadonlyMap<string, unknown>;
}

/** Options of `explore`. */
export interface ExploreOptions {
  /** The first world: a whole number. @defaultValue 1 */
  seed?: number | undefined;
  /** How many worlds: the seeds from `seed` on. @defaultValue 1000 */
  count?: number | undefined;
  /** The most processes of a world. @defaultValue 2 */
  processes?: number | undefined;
  /** The most orders of a world. @defaultValue 3 */
  orders?: number | undefined;
  /**
   * Whether each world plays a later version of the service, with statuses, codes and fields that are unknown today: the
   * emulator's option `future`, with the world's seed. @defaultValue false
   */
  future?: boolean | undefined;
  /**
   * Makes the request of an order. It must contain the order's ID, in any of its texts.
   *
   * @defaultValue songs of both providers, and lyrics
   */
  request?: ((id: string) => TaskRequest) | undefined;
  /**
   * Opens the journal of a world, which must be empty. It may use real files or a real database: virtual time stands still
   * while it works.
   *
   * @defaultValue `memoryJournal`
   */
  journal?: (() => Journal) | undefined;
  /**
   * Stops the exploration, which then rejects with the reason. Pass the signal of your test, since an exploration continues
   * after the time limit of its test. Without such a signal, pass `AbortSignal.timeout(ms)`.
   *
   * @defaultValue none
   */
  signal?: AbortSignal | undefined;
}

import type { Task, TaskStatus } from "../../src/contract/task.js";
import type { Finding } from "../core/audit.js";
import type { LoggedRequest } from "../core/log.js";
import type { Policy } from "../core/policy-fields.js";
import type { Limits } from "../core/rate-limit.js";
import type { Snapshot } from "../core/state/snapshot.js";
import type { Clock, EmulatorClock } from "../time/clock.js";
import type { Accounts } from "./accounts.js";
import type { ResetOptions } from "./emulator-options.js";
import type { EmulatorState } from "./emulator-state.js";
import type { Faults } from "./faults.js";
import type { Providers } from "./providers.js";

/** The whole service, in this process and without a network. Made by `createEmulator`. */
export interface Emulator extends AsyncDisposable {
  /** The service address, without `/api/v1`: the option `url`, or an origin that no network can resolve. */
  readonly url: string;
  /** The key of the first account; it stays through every reset. */
  readonly apiKey: string;
  readonly accountId: string;
  /**
   * What a network would do, done here: takes what the global `fetch` takes, for every origin that the emulator hands
   * out. Rejects with a `TypeError` where a connection would fail, and with the signal's reason when it is aborted.
   */
  readonly fetch: typeof globalThis.fetch;
  /** Time, which the service shares with the clients that are given it. */
  readonly clock: EmulatorClock;
  /** What each provider is to do with its next tasks, or with all. */
  readonly providers: Providers;
  /** Trouble on demand. */
  readonly faults: Faults;
  /** Accounts, their keys, and what they own. */
  readonly accounts: Accounts;
  /** Every exchange, oldest first: at least the last 100,000. */
  readonly requests: readonly LoggedRequest[];
  /** What the interface leaves open, as it is chosen now. Change it with `changePolicy`. */
  readonly policy: Readonly<Policy>;
  /** The rate limit of every key. Change it with `changeLimits`. */
  readonly limits: Readonly<Limits>;

  /**
   * Everything that a client of the SDK needs, to be passed to its constructor.
   *
   * @param options.apiKey - Another account's key. @defaultValue `emulator.apiKey`
   */
  connection(options?: { apiKey?: string | undefined }): Connection;
  /** @throws RangeError for an unknown field or a value that it can't have; nothing is then changed. */
  changePolicy(changes: Partial<Policy>): Readonly<Policy>;
  /** @throws RangeError for a limit that can't be; nothing is then changed. */
  changeLimits(changes: Partial<Limits>): Readonly<Limits>;
  /** Everything at once. Like every look, this applies the hour to all tasks. */
  state(): EmulatorState;
  /** Calls back for each exchange from now on, as it ends. What it returns puts an end to that. */
  onRequest(listener: (request: LoggedRequest) => void): () => void;
  /** Every rule of the service that a client broke, in the order of the requests: at least the last 10,000. */
  audit(): Finding[];
  /**
   * Resolves with the task when it has this status; rejects at any other final one. Like every look, it begins by applying
   * the hour; from then on it only watches: somebody must read the task to move it.
   *
   * @throws RangeError when there is no such task.
   */
  when(taskId: string, status: TaskStatus): Promise<Task>;
  /**
   * Begins anew, with the options of its creation but for those that are given here. The clock's mode and the API key
   * stay. What is under way ends as on a broken connection; who sleeps on the clock sleeps on for as long as was left.
   *
   * @throws RangeError that names the option that is wrong; nothing is then changed.
   */
  reset(options?: ResetOptions): { account_id: string; api_key: string };
  /** The whole state, as JSON-safe data. */
  snapshot(): Snapshot;
  /**
   * Goes on from a snapshot. What is under way ends as it does with a reset.
   *
   * @throws RangeError when it is none of this version, or its credits do not add up; nothing is then changed.
   */
  restore(snapshot: Snapshot): void;
  /** An independent copy that goes on from here, with a clock of its own. */
  fork(): Emulator;
  /**
   * Ends it: whoever sleeps on its clock is told so by an error, and what is still asked of it fails as on a broken
   * connection.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the SDK's constructor takes. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Numbers from 0 up to 1, from the seed: each connection has its own. */
  readonly random: () => number;
}

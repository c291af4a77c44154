/// <reference lib="esnext.disposable" preserve="true" />

import type { Fetch } from "../../src/contract/fetch.js";
import type { Balance, Usage } from "../../src/contract/responses.js";
import type { Model, TaskStatus } from "../../src/contract/service.js";
import type { Task } from "../../src/contract/task.js";
import type { FaultRule } from "../core/faults.js";
import type { Finding } from "../core/log/audit.js";
import type { LoggedRequest } from "../core/log/request-log.js";
import type {
  AutoTopUpChange,
  AutoTopUpView,
  Billing,
  BillingInformation,
  Invoice,
  Payment,
  TopUp,
} from "../core/payments/schemas.js";
import type { Policy, PolicyChanges } from "../core/policy-fields.js";
import type { ScopedOutcome } from "../core/providers.js";
import type { Limits, LimitsChanges } from "../core/rate-limit.js";
import type { SeedFile } from "../core/seed-file/schema.js";
import type { ResetOptions, Snapshot } from "../core/state.js";
import type { FutureChange } from "../future/future.js";
import type { Clock, ClockMode, EmulatorClock } from "../time/clock.js";

/**
 * Options of an emulator. Each must be an own property of the object: an inherited one, such as a getter of a class, is
 * refused, and one on `Object.prototype` is ignored.
 */
export interface EmulatorOptions extends ResetOptions {
  /** `"virtual"`: time skips to the next wake-up; `"real"`: it follows the system's clock. @defaultValue "virtual" */
  clock?: ClockMode | undefined;
  /**
   * The API key of the first account. It must begin with `emu_`. Replaces that of a snapshot.
   *
   * @defaultValue one from the seed, or the snapshot's
   */
  apiKey?: string | undefined;
  /**
   * The service address that the emulator replaces, without `/api/v1`. Set it if your application's address is fixed.
   * It may have a path: `https://api.example.com/music`. `emulator.fetch` and the MSW handlers respond below it, and
   * `audio_url` begins with it. Cover art and a provider's own files keep the origins `https://provider-a.test` and
   * `https://provider-b.test`. On a port, the address is the port's own.
   *
   * @defaultValue "https://api.async-music.test"
   */
  url?: string | undefined;
  /**
   * How many bytes of headers and bodies to keep for the dashboard's view of each request: 0 to 2,147,483,648. The oldest are
   * dropped first; the log itself stays.
   *
   * @defaultValue 16,777,216 (16 MiB)
   */
  exchangeBytes?: number | undefined;
  /**
   * The state to continue from. Seed, future, credits, policy and limits are then the snapshot's. The options of these names, and
   * `seedFile`, apply from the first reset on: a reset does not restore the snapshot, but `restore` does.
   */
  snapshot?: Snapshot | undefined;
  /**
   * The accounts, tasks, outcomes and faults to start with: the parsed content of a seed file, such as
   * `import world from "./world.json" with { type: "json" }`. A reset restores them. What the file leaves open follows from
   * `seed`, the random seed. The file's own policy applies to its tasks. For later requests, each field of `policy` and
   * `limits` comes from the first of these that has it: the account's entry in the file, these options, the top of the file.
   * `apiKey` replaces the first key of its first account, and every equal key of the file. `credits` can't be combined with
   * it, and a `snapshot` takes precedence.
   *
   * @example
   * ```ts
   * const emulator = createEmulator({ seedFile: { accounts: [{ keys: [{ key: "emu_alice" }], credits: 20 }] } });
   * ```
   */
  seedFile?: SeedFile | object | undefined;
}

/** Limits a call to one account, so that tests that share an emulator do not disturb each other. */
export interface Scope {
  /** The ID of the account. @defaultValue all accounts */
  accountId?: string | undefined;
}

/** The whole service in this process, without a network. Created by `createEmulator`. */
export interface Emulator extends AsyncDisposable {
  /** The service address, without `/api/v1`: the `url` option, or an origin that no network resolves. */
  readonly url: string;
  /** The key of the first account. A reset does not change it; `restore` replaces it by that of the snapshot. */
  readonly apiKey: string;
  /** The ID of the first account. A reset and `restore` can change it. */
  readonly accountId: string;
  /**
   * A `fetch` for every address of the emulator, in this process. Rejects with a `TypeError` where a connection would
   * fail, and with the signal's reason if it is aborted.
   */
  readonly fetch: Fetch;
  /** The time of the service and of the clients that use this clock. */
  readonly clock: EmulatorClock;
  /** Sets the outcomes of each provider's tasks. */
  readonly providers: Providers;
  /** Faults of the service, such as lost responses. */
  readonly faults: Faults;
  /** Accounts, their keys and their purchases. */
  readonly accounts: Accounts;
  /** The request log, oldest first. Keeps at least the last 100,000 requests. */
  readonly requests: readonly LoggedRequest[];
  /** The current policy. Change it with `changePolicy`. */
  readonly policy: Readonly<Policy>;
  /** What the later version of the service that the `future` option draws does in another way; empty without it. */
  readonly future: readonly FutureChange[];
  /** The rate limit of every key. Change it with `changeLimits`. */
  readonly limits: Readonly<Limits>;

  /**
   * Returns the options of a client of this emulator, for the SDK's constructor.
   *
   * @param options.apiKey - Another account's key. @defaultValue `emulator.apiKey`
   */
  connection(options?: { apiKey?: string | undefined }): Connection;
  /**
   * Changes the policy for all accounts, or with `accountId` for one. From then on, the account keeps its own policy:
   * changes for all accounts do not apply to it.
   *
   * @throws RangeError for an unknown field or an invalid value; nothing is then changed.
   */
  changePolicy(changes: PolicyChanges, scope?: Scope): Readonly<Policy>;
  /**
   * Changes the rate limit of every key, or with `accountId` of the account's keys. From then on, the account keeps its own
   * limit: changes for all accounts do not apply to it.
   *
   * @throws RangeError for an invalid limit; nothing is then changed.
   */
  changeLimits(changes: LimitsChanges, scope?: Scope): Readonly<Limits>;
  /** Returns accounts, tasks and settings. Like every read, this applies the task timeout to these tasks. */
  state(scope?: Scope): EmulatorState;
  /**
   * Calls the listener at the end of each later request. Returns a function that removes the listener. What it throws does not
   * change the request: it is thrown again as an uncaught exception. What it returns is ignored.
   */
  onRequest(listener: (request: LoggedRequest) => unknown, scope?: Scope): () => void;
  /** The requests that broke a rule of the service, oldest first. Keeps at least the last 10,000 findings. */
  audit(scope?: Scope): Finding[];
  /**
   * Resolves with the task when it has this status; rejects if it ends in another. This applies the task timeout once, but
   * does not read the task: its status changes only when a client reads it.
   *
   * @throws RangeError for an unknown task or status.
   */
  when(taskId: string, status: TaskStatus): Promise<Task>;
  /**
   * Restores the initial state, with the options of the emulator's creation except for those given here. The option `snapshot` is not
   * restored. The clock's mode and the API key stay. Requests in flight end as on a broken connection. Sleeps keep their remaining
   * duration.
   *
   * @throws RangeError that names the invalid option; nothing is then changed.
   */
  reset(options?: ResetOptions): { account_id: string; api_key: string };
  /** Returns the whole state as JSON. */
  snapshot(): Snapshot;
  /**
   * Continues from a snapshot. Requests in flight end as with a reset. `apiKey` and `accountId` are then those of the snapshot, also if
   * the emulator was created with the option `apiKey`: create clients again with `connection()`.
   *
   * @throws RangeError if it is not of this version, or its credits do not add up; nothing is then changed.
   */
  restore(snapshot: Snapshot): void;
  /** Returns an independent copy of the emulator in its current state, with its own clock. */
  fork(): Emulator;
  /** Ends the emulator: sleeps on its clock reject, and requests fail as on a broken connection. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of a client of an emulator, for the SDK's constructor. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Returns numbers from 0 up to 1, drawn from the seed: each connection has its own. */
  readonly random: () => number;
}

/** The accounts, tasks and settings of an emulator. */
export interface EmulatorState {
  /** ISO 8601. */
  now: string;
  policy: Readonly<Policy>;
  limits: Readonly<Limits>;
  /** In the order of their creation. */
  accounts: AccountView[];
  /** Of every account, as the API returns them, in the order of their creation. */
  tasks: (Task & { account_id: string })[];
}

/** The two upstream providers. Tasks without an outcome succeed. */
export type Providers = Readonly<Record<Model, Provider>>;

/** One upstream provider. */
export interface Provider {
  /**
   * Sets the outcome of the next task. Repeated calls set the outcomes of the tasks after it.
   *
   * @throws RangeError that names the invalid field.
   */
  next(outcome: ScopedOutcome): void;
  /**
   * Sets the outcome of every later task; `null` removes it: in all accounts, or with `accountId` that of the account.
   * `next` and the request's own outcome take precedence.
   *
   * @throws RangeError that names the invalid field.
   */
  always(outcome: ScopedOutcome | null, scope?: Scope): void;
}

/** Faults of the service, such as lost responses. */
export interface Faults {
  /**
   * Adds a fault. If several faults match a request, only the one added first fires.
   *
   * @throws RangeError that names the invalid field.
   */
  add(rule: FaultRule): void;
  /** The remaining faults, and how often each can still fire: `null` for unlimited. With `accountId`, only the account's own. */
  list(scope?: Scope): { rule: FaultRule; left: number | null }[];
  /** Removes all faults, or with `accountId` only the account's own. */
  clear(scope?: Scope): void;
}

/** A new account with its first key, whose value is shown only here. */
export interface CreatedAccount extends CreatedKey {
  account_id: string;
}

/** A new key. Its value is shown only here. */
export interface CreatedKey {
  key_id: string;
  api_key: string;
}

/** Changes of an account. */
export interface AccountChanges {
  /** A suspended account cannot create tasks (403). Everything else works. */
  suspended?: boolean | undefined;
  /** Whether the bank of the saved card accepts further charges. A newly saved card accepts them. */
  saved_card?: "accepts" | "refuses" | undefined;
}

/** An account, with its balance, keys and ledger. */
export interface AccountView {
  account_id: string;
  suspended: boolean;
  balance: Balance;
  usage: Usage;
  keys: KeyView[];
  /** Every movement of credits, oldest first; `at` is ISO 8601. */
  ledger: {
    at: string;
    kind: "top_up" | "freeze" | "settle" | "refund";
    credits: number;
    task_id: string | null;
  }[];
}

/** A key, without its value. */
export interface KeyView {
  key_id: string;
  disabled: boolean;
}

/** Purchases of an account. Every method throws a RangeError for invalid arguments and then changes nothing. */
export interface AccountPurchases {
  /**
   * Buys credits: 1 for each cent. The payment is completed at once, with an invoice, unless `outcome` says otherwise.
   * The card of a completed payment becomes the account's saved card.
   */
  topUp(accountId: string, topUp: TopUp): Payment;
  /** Completes or refuses a pending payment. */
  updateTopUp(accountId: string, paymentId: string, change: { status: "completed" | "refused" }): Payment;
  /** Returns all payments, automatic ones included, oldest first. */
  payments(accountId: string): Payment[];
  /** Returns an authorization for one change of the automatic top-up. */
  authorize(accountId: string): { authorization: string };
  autoTopUp(accountId: string): AutoTopUpView;
  /**
   * Enables or disables the automatic top-up, or changes its amounts. Enabling and changing require an authorization. Enabling also
   * requires a saved card, and all three amounts unless they were set before.
   */
  setAutoTopUp(accountId: string, change: AutoTopUpChange): AutoTopUpView;
  /** Returns the billing information; `null` until it is saved. */
  billing(accountId: string): Billing | null;
  /**
   * Saves the billing information of later invoices, and of earlier ones that have none. An invoice keeps the information
   * that it has. Throws for a character that no font can print, and for one that requires the font package
   * `@fontsource/unifontex` if it is not installed.
   */
  setBilling(accountId: string, billing: BillingInformation): Billing;
  /** Returns one invoice for each completed payment. @throws BillingIncompleteError until the billing information is saved */
  invoices(accountId: string): Invoice[];
  /** Rejects where `invoices` throws, and with a RangeError for an ID that the account does not have. */
  invoicePdf(accountId: string, invoiceId: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** The emulator's accounts. Every method throws a RangeError for an unknown ID. */
export interface Accounts extends AccountPurchases {
  /** Creates an account with a key. @param options.credits - A whole number; 0 by default. */
  create(options?: { credits?: number | undefined }): CreatedAccount;
  /** Returns an account. Like every read, this applies the task timeout to its tasks. */
  get(accountId: string): AccountView;
  /** Returns all accounts, in the order of their creation. */
  list(): AccountView[];
  /**
   * Returns the logged requests that were sent with a key of the account, and downloads of its files, oldest first. A
   * request without a valid key belongs to no account.
   */
  requests(accountId: string): LoggedRequest[];
  /** Changes the given fields: at least one. */
  update(accountId: string, changes: AccountChanges): AccountView;
  /** Creates another key of the account. */
  createKey(accountId: string): CreatedKey;
  /**
   * Disables a key, enables it again, or names it (up to 100 characters): at least one of both fields is required. Requests with a
   * disabled key get 401.
   */
  updateKey(
    accountId: string,
    keyId: string,
    changes: { disabled?: boolean | undefined; name?: string | undefined },
  ): KeyView;
  /** Deletes a key permanently. Requests with it get 401. */
  deleteKey(accountId: string, keyId: string): void;
}

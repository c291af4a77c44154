import type { TaskRequest } from "../contract/requests.js";
import type { FinalStatus } from "../contract/service.js";
import type { TaskSubmission } from "../contract/task.js";

/**
 * Where `run`, `runAll` and `create` record their requests and tasks, so that nothing is charged twice: `memoryJournal` within one process,
 * `fileJournal` of `async-music/node` across processes of one machine, `redisJournal` of `async-music/redis` or
 * `postgresJournal` of `async-music/postgres` across machines, or your own on another database that they share. Its first three methods are one compare-and-set: each
 * entry has a `revision` of its own, and is only replaced by a call that names that revision. `open` and `unacknowledged` are
 * optional.
 *
 * The effect of a method that has resolved must survive a crash. An entry is JSON: keep all of it. A method that has not
 * settled after 30 real seconds counts as failed; it may still take effect later, completely or not at all.
 *
 * @example
 * Your own in SQL, with `CREATE TABLE journal (key text PRIMARY KEY, revision text NOT NULL, entry json NOT NULL)` (`jsonb` rejects U+0000):
 *
 * ```ts
 * const journal: Journal = {
 *   async get(key) {
 *     const { rows } = await pool.query("SELECT entry FROM journal WHERE key = $1", [key]);
 *     return rows[0]?.entry ?? null;
 *   },
 *   async put(key, entry, previous) {
 *     const { rowCount } = await (previous === null
 *       ? pool.query("INSERT INTO journal VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [key, entry.revision, entry])
 *       : pool.query("UPDATE journal SET revision = $2, entry = $3 WHERE key = $1 AND revision = $4",
 *           [key, entry.revision, entry, previous]));
 *     return rowCount === 1;
 *   },
 *   async delete(key, revision) {
 *     const { rowCount } = await pool.query("DELETE FROM journal WHERE key = $1 AND revision = $2", [key, revision]);
 *     return rowCount === 1;
 *   },
 * };
 * ```
 */
export interface Journal {
  /** The entry under a key; `null` where there is none. */
  get(key: string): Promise<JournalEntry | null>;
  /**
   * Sets the entry under a key if the current entry has the revision `previous`, or, with `null`, if there is none.
   * Resolves with `false`, and changes nothing, where that is no longer so. Two of these at once: one `true`. It may reject
   * with `JournalConflictError`, with which the run rejects.
   */
  put(key: string, entry: JournalEntry, previous: string | null): Promise<boolean>;
  /** Frees a key if its entry still has this revision, and resolves with `false` where that is no longer so. */
  delete(key: string, revision: string): Promise<boolean>;
  /**
   * Lists the keys that still need a run or a decision, oldest first: see {@link OpenOrder}. Optional in a journal of
   * your own: without it, `evidence` after a restart may take the task of another unknown order for that of this one. It
   * reads every entry.
   *
   * The SDK's journals reject with `JournalError` if the entries cannot be read, and with `JournalDamagedError` if an entry is damaged:
   * its `orders` are the open keys among all others.
   *
   * @example
   * ```ts
   * const journal = memoryJournal();
   * for (const { key, state, task_id } of await journal.open()) console.log(key, state, task_id);
   * ```
   */
  open?(): Promise<OpenOrder[]>;
  /**
   * Lists the orders of which no follower has acknowledged the end, oldest first: see {@link UnacknowledgedOrder}.
   * `client.tasks.follow` and `async-music relay` need this method. It is optional in a journal of your own.
   *
   * An order is listed if its task is recorded, and either no run has recorded the end, or the end is recorded and
   * `acknowledged` is `false`. An end that a version without `follow` recorded is never listed. A damaged entry is not listed:
   * `open` names it. If the entries cannot be read, the SDK's journals reject with `JournalError`.
   *
   * @param since - orders with an earlier `since` are left out; without it all are listed
   */
  unacknowledged?(since?: Date): Promise<UnacknowledgedOrder[]>;
}

/**
 * An open key of a journal. `"intent"`: a POST is in flight, or its outcome is unknown; once no run with the key is left,
 * decide with `settleOutcome` or `settleNotCreated`. `"submitted"`: the task exists, and no run has returned its result or its failure yet; run
 * the key again to continue. A key closes shortly before its run returns, so a result that you have not saved when the
 * process crashes is no longer listed: run the key again to get it. `get` has the request, which a run needs.
 */
export interface OpenOrder {
  /** The `journalKey`. */
  key: string;
  /** What the journal holds under the key. */
  state: JournalEntry["state"];
  /** The task's ID; `null` of an intent. */
  task_id: string | null;
  /** The `X-Request-Id` of the POST, by which the service can find its task. */
  request_id: string;
  /** When the intent was written: ISO 8601, by the clock of its client. */
  since: string;
}

/** An order whose end no follower has acknowledged yet. */
export interface UnacknowledgedOrder {
  /** The `journalKey`. */
  key: string;
  /** The task's ID. */
  task_id: string;
  /** When the intent was written: ISO 8601, by the clock of its client. */
  since: string;
  /** The customer of the order; `null`, or absent, if there is none. Followers take the orders of tenants in turn. */
  tenant?: string | null;
  /** How the task ended; `null` while no run and no follower has recorded it. */
  status: FinalStatus | null;
  /** The follower that works on the order; `null` if there is none. */
  follower: OrderFollower | null;
  /** The tries to deliver the end that have failed; `null` if none has. */
  delivery: OrderDelivery | null;
}

/** The follower that works on an order. */
export interface OrderFollower {
  /** Identifies the follower: each call of `follow` and each relay has its own. */
  id: string;
  /** When another follower may take the order over, unless this one renews its lease: ISO 8601, by the follower's clock. */
  until: string;
}

/** The tries of `async-music relay` to deliver the end of an order that have failed. */
export interface OrderDelivery {
  /** How many tries have failed. */
  tries: number;
  /** When the next try is due: ISO 8601, by the relay's clock; `null` if the relay has given up. */
  next_at: string | null;
  /** Why the last try failed. */
  last_error: string;
}

/** The entry of a key: the intent to submit a task, later replaced by the record of that task. */
export type JournalEntry = JournalIntent | JournalRecord;

/** The fields of every entry. None contains the API key. */
export interface JournalFields {
  /** Identifies this version of the entry. No two entries have the same. */
  revision: string;
  /** The request, as it is sent. */
  request: TaskRequest;
  /** The `X-Request-Id` of the POST. */
  request_id: string;
  /** When the intent was written: ISO 8601, by the clock of its client. */
  at: string;
  /** With `probe`: `usage.tasks_created` before the POST; otherwise `null`. */
  tasks_created: number | null;
  /**
   * `timeoutMs` of the run, in milliseconds: other processes compute from it how long the POST may be in flight. Absent in
   * the entries of older versions, and of planned orders.
   */
  timeout_ms?: number;
  /** With `tenant`: the customer of the order. */
  tenant?: string;
  /** With `budget`: what the run has reserved in it. It stays in the entry after its end. */
  reservation?: BudgetReservation;
}

/** What one task has reserved in a budget: see `memoryBudget`. */
export interface BudgetReservation {
  /** Its period and a UUID. */
  id: string;
  /** The customer. */
  tenant: string;
  /** The price of the request. */
  credits: number;
}

/**
 * A POST is about to be sent, or was sent: no other run may send one for this key. A refusal deletes the intent, also a 429
 * before the wait that follows it, so the process may end in that wait.
 */
export interface JournalIntent extends JournalFields {
  /** Tells an intent from a record. */
  state: "intent";
  /**
   * `true` if the key is free: it was settled as not created, or `plan` wrote this entry. The next run replaces the entry.
   * Until then, a settlement can be corrected.
   */
  settled?: true;
}

/** The task exists. */
export interface JournalRecord extends JournalFields {
  /** Tells a record from an intent. */
  state: "submitted";
  /** The task's ID: enough to wait for it. */
  task_id: string;
  /** The service's response; `null` where only the ID is known. */
  submission: TaskSubmission | null;
  /** `true` if `settleOutcome` named the task: such an ID can be corrected. Absent if the service named it. */
  settled?: true;
  /** How the task ended, once a run or a follower has recorded it. Absent while the key is open. */
  status?: FinalStatus;
  /**
   * `true` once a follower has delivered the end, and `false` if the end is recorded and not delivered. Absent while the key is
   * open, and in the closed entries of versions without `follow`, whose ends are never delivered.
   */
  acknowledged?: boolean;
  /** The follower that works on the order. Absent if there is none. */
  follower?: OrderFollower;
  /** The tries to deliver the end that have failed. Absent if none has. */
  delivery?: OrderDelivery;
}

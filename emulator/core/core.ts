import { isFinalStatus } from "../../src/contract/service.js";
import { Future } from "../future/future.js";
import type { ServiceClock } from "../time/clock.js";
import { createKey, type StoredAccount, type StoredKey } from "./accounts.js";
import { invariant, normalizeId, UnknownIdError } from "./checks.js";
import type { Submission } from "./log/audit.js";
import { EXCHANGE_BYTES, type Exchange, Exchanges } from "./log/exchanges.js";
import type { LoggedRequest, LogReader } from "./log/request-log.js";
import { RuleUses } from "./rules.js";
import { readSnapshot, type State } from "./state.js";
import type { StoredClip, StoredTask } from "./task.js";

export type Core = ReturnType<typeof createCore>;

/** What the transitions of tasks read and change. */
export type World = Pick<Core, "state" | "index" | "future" | "watchers">;

/** One emulator: its state, its clock, and everything that is derived from the state or waits for it to change. */
export function createCore(
  state: State,
  clock: ServiceClock,
  closing: AbortSignal,
  exchangeBytes = EXCHANGE_BYTES,
) {
  const closeListeners = new Set<() => void>();
  const onClose = () => {
    for (const close of [...closeListeners]) close();
  };
  closing.addEventListener("abort", onClose, { once: true });
  return {
    state,
    index: buildIndex(state),
    /** The later version of the service that is played; `null` for today's. */
    future: futureOf(state),
    clock,
    /** How often the state was replaced, by a reset or a snapshot. */
    generation: 0,
    watchers: new StatusWatchers(),
    logReaders: new Set<LogReader>(),
    /** Of the requests in the log. */
    exchanges: new Exchanges(exchangeBytes),
    /** Of the faults and outcomes of the state. */
    ruleUses: new RuleUses(),
    delayedSubmissions: new Set<Submission>(),
    /** Aborted when the emulator is disposed. */
    closing,
    replaceListeners: new Set<(replaced: ReplacedState) => void>(),
    /** Called when the emulator is disposed. `closing` itself would compare each new listener with all others. */
    closeListeners,
  };
}

/** The state that was replaced, and the exchanges of its log. */
export interface ReplacedState {
  readonly state: State;
  readonly exchanges: readonly Exchange[];
}

/** Continues from a snapshot. @throws RangeError if it is not valid; nothing is then changed. */
export function restoreSnapshot(core: Core, snapshot: unknown): void {
  const { state, time } = readSnapshot(snapshot);
  replaceState(core, state, time, "A snapshot was restored. Wait again if it contains the task.");
}

/** Replaces the state, and drops what belonged to the old one. Requests in flight end without an effect. */
export function replaceState(core: Core, state: State, time: number, reason: string): void {
  const replaced = { state: core.state, exchanges: core.exchanges.all() };
  core.index = buildIndex(state);
  core.future = futureOf(state);
  core.state = state;
  core.generation++;
  core.delayedSubmissions = new Set();
  core.clock.set(time);
  core.exchanges = new Exchanges(core.exchanges.limit);
  core.ruleUses.clear();
  core.watchers.rejectAll(reason);
  for (const notify of [...core.replaceListeners]) notify(replaced);
}

/**
 * Makes this the key of the first account, in place of its current one, and enables it.
 *
 * @throws RangeError if the key is another account's; nothing is then changed.
 */
export function setOwnerKey({ state, index, clock }: Core, apiKey: string): void {
  const { owner } = state;
  const account = index.accounts.get(normalizeId(owner.accountId));
  invariant(account !== undefined, "the owner's account exists");
  const existing = index.keys.get(apiKey);
  if (existing !== undefined && existing.account !== account)
    throw new RangeError("`apiKey` belongs to another account of the snapshot. Pass an unused API key.");
  if (owner.apiKey !== apiKey) {
    account.keys = account.keys.filter(({ value }) => value !== owner.apiKey);
    index.keys.delete(owner.apiKey);
    owner.apiKey = apiKey;
  }
  const key = existing?.key ?? createKey(state, clock.now(), apiKey);
  key.disabled = false;
  if (existing === undefined) account.keys.push(key);
  index.keys.set(apiKey, { account, key });
}

function futureOf({ future }: State): Future | null {
  return future === undefined ? null : new Future(future);
}

type Index = ReturnType<typeof buildIndex>;

export function buildIndex({ accounts, tasks }: State) {
  const index = {
    /** By normalized ID. */
    accounts: new Map<string, StoredAccount>(),
    keys: new Map<string, { account: StoredAccount; key: StoredKey }>(),
    /** Ordinals by normalized ID. */
    tasks: new Map<string, number>(),
    clips: new Map<string, StoredClip>(),
    /** By account ID: the ordinals of its unfinished tasks, oldest first. */
    openTasks: new Map<string, Set<number>>(),
  };
  for (const account of accounts) indexAccount(index, account);
  for (const task of tasks) indexTask(index, task);
  return index;
}

export function indexAccount(index: Index, account: StoredAccount): void {
  index.accounts.set(normalizeId(account.id), account);
  index.openTasks.set(account.id, new Set());
  for (const key of account.keys) index.keys.set(key.value, { account, key });
}

/** Must be called for a new task, and when a task has ended. */
export function indexTask(index: Index, task: StoredTask): void {
  index.tasks.set(normalizeId(task.id), task.ordinal);
  const open = index.openTasks.get(task.accountId);
  if ("completedAt" in task) open?.delete(task.ordinal);
  else open?.add(task.ordinal);
  if (task.status !== "success" || !Array.isArray(task.result)) return;
  for (const clip of task.result) index.clips.set(clip.id, { task, clip });
}

/** @throws UnknownIdError */
export function requireAccount({ index }: Pick<Core, "index">, accountId: string): StoredAccount {
  const account = index.accounts.get(normalizeId(accountId));
  if (account === undefined) throw new UnknownIdError("account", accountId);
  return account;
}

/** The account of the clip whose file a request without a key reads: the request belongs to it. */
export function clipOwnerId({ index }: Core, path: string): string | null {
  const [, clipId = ""] = /\/(?:audio|art)\/([^/]+)/.exec(path) ?? [];
  return index.clips.get(clipId)?.task.accountId ?? null;
}

/** The account of an entry of the log: that of its key, or of the file that it downloads. */
export function accountIdOf(core: Core, { account_id: id, path }: LoggedRequest): string | null {
  return id ?? clipOwnerId(core, path);
}

/** Whether an entry of the log belongs to the account; `null` for all accounts. */
export function isRequestOf(core: Core, account: StoredAccount | null, request: LoggedRequest): boolean {
  return account === null || accountIdOf(core, request) === account.id;
}

export function findTask({ state, index }: Core, taskId: string): StoredTask | undefined {
  const ordinal = index.tasks.get(normalizeId(taskId));
  return ordinal === undefined ? undefined : state.tasks[ordinal];
}

/** Waits for tasks to reach a status, without reading them: only a read changes a status. */
export class StatusWatchers {
  #watchers: { taskId: string; status: string; resolve(): void; reject(reason: Error): void }[] = [];

  /** Resolves when the task has this status; rejects once it never can. */
  watch(task: StoredTask, status: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#watchers.push({ taskId: task.id, status, resolve, reject });
      this.notify(task);
    });
  }

  /** Must be called after each change of a task's status. */
  notify(task: StoredTask): void {
    if (this.#watchers.length === 0) return;
    this.#watchers = this.#watchers.filter(({ taskId, status, resolve, reject }) => {
      if (taskId !== task.id) return true;
      if (status === task.status) resolve();
      else if (isFinalStatus(task.status))
        reject(
          new Error(`Task ${task.id} can no longer reach \`${status}\`: it ended in \`${task.status}\`.`),
        );
      else return true;
      return false;
    });
  }

  rejectAll(reason: string): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const { reject, status } of watchers)
      reject(new Error(`Stopped waiting for \`${status}\`. ${reason}`));
  }
}

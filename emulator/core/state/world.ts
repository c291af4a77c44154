import type { ServiceClock } from "../../time/clock.js";
import type { Account, ApiKey } from "../accounts.js";
import type { Submission } from "../audit.js";
import { AudioStore } from "../delivery/audio-store.js";
import type { LogReader } from "../log.js";
import type { StoredClip } from "../task.js";
import { isOpen, type StoredTask } from "../task.js";
import { Callbacks } from "./callbacks.js";
import type { State } from "./state.js";
import { Watchers } from "./watchers.js";

/** An emulator's state with its time, and with the ways into it. */
export interface World {
  state: State;
  /** Built from the state, and kept in step with it. */
  index: Index;
  readonly clock: ServiceClock;
  /** How often another state has taken this one's place. */
  generation: number;
  /** Who waits for a task to reach a status. */
  readonly watchers: Watchers;
  /** Who reads the request log as it is written. */
  readonly logReaders: Set<LogReader>;
  /** Those that a fault delays. */
  submissions: Set<Submission>;
  /** Files that follow from the state. */
  readonly audio: AudioStore;
  /** Aborted when another state takes this one's place. */
  era: AbortController;
  /** Aborted when the emulator is disposed of. */
  readonly closing: AbortSignal;
  /** Called when another state takes this one's place. */
  readonly replaced: Callbacks;
  /** Called when the emulator is disposed of. */
  readonly closed: Callbacks;
}

/** Ways into the state that do not grow with it. */
export interface Index {
  accounts: Map<string, Account>;
  keys: Map<string, { account: Account; key: ApiKey }>;
  /** Ordinals by task id. */
  tasks: Map<string, number>;
  clips: Map<string, StoredClip>;
  /** Of each account, the tasks that may still reach their hour, oldest first. */
  openTasks: Map<string, OpenTasks>;
}

/** A queue of ordinals; what is before the head has left it. */
export interface OpenTasks {
  ordinals: number[];
  head: number;
  /** What left it past its hour and is still open, since policy `late_success` spared it; oldest first. */
  spared: number[];
}

export function createWorld(state: State, clock: ServiceClock, closing: AbortSignal): World {
  const closed = new Callbacks();
  closing.addEventListener("abort", () => closed.callAll(), { once: true });
  return {
    state,
    index: buildIndex(state),
    clock,
    generation: 0,
    watchers: new Watchers(),
    logReaders: new Set(),
    submissions: new Set(),
    audio: new AudioStore(),
    era: new AbortController(),
    closing,
    replaced: new Callbacks(),
    closed,
  };
}

/** Puts a world where another state is: whatever is not part of the state begins anew. */
export function replaceState(world: World, state: State, time: number, reason: string): void {
  world.index = buildIndex(state);
  world.state = state;
  world.generation++;
  world.submissions = new Set();
  const { era } = world;
  world.era = new AbortController();
  world.clock.set(time);
  world.audio.clear();
  world.watchers.close(reason);
  era.abort();
  world.replaced.callAll();
}

/** Resolves when another state takes the place of the one that is there now. Call `forget` if you no longer wait for it. */
export function untilReplaced({ replaced }: World): { promise: Promise<void>; forget: () => void } {
  let forget = () => {};
  const promise = new Promise<void>((resolve) => {
    forget = replaced.add(resolve);
  });
  return { promise, forget };
}

function buildIndex(state: State): Index {
  const index: Index = {
    accounts: new Map(),
    keys: new Map(),
    tasks: new Map(),
    clips: new Map(),
    openTasks: new Map(),
  };
  for (const account of state.accounts) indexAccount(index, account);
  for (const task of state.tasks) indexTask(index, task);
  return index;
}

export function indexAccount(index: Index, account: Account): void {
  index.accounts.set(account.id, account);
  index.openTasks.set(account.id, { ordinals: [], head: 0, spared: [] });
  for (const key of account.keys) index.keys.set(key.value, { account, key });
}

/** Puts a task where it is found, when it is new and when it succeeded. */
export function indexTask(index: Index, task: StoredTask): void {
  index.tasks.set(task.id, task.ordinal);
  if (isOpen(task)) index.openTasks.get(task.accountId)?.ordinals.push(task.ordinal);
  if (task.status === "success" && Array.isArray(task.result)) {
    for (const clip of task.result) index.clips.set(clip.id, { task, clip });
  }
}

export function findTask({ state, index }: World, taskId: string): StoredTask | undefined {
  const ordinal = index.tasks.get(taskId);
  return ordinal === undefined ? undefined : state.tasks[ordinal];
}

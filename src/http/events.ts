import type { Task } from "../contract/task.js";
import { shown, wrongValue } from "../errors/base.js";
import type { RequestKind } from "../rate-limit/pacer.js";

/** Called with each event of one kind. What it returns, throws or rejects with is ignored. */
export type Listener<Name extends keyof ClientEvents> = (event: ClientEvents[Name]) => unknown;

export interface Emitter {
  /** Adds a listener; returns a function that removes it. */
  on<Name extends keyof ClientEvents>(name: Name, listener: Listener<Name>): () => void;
  /** Emits an event. It is made for each listener anew, since a listener may change it. */
  emit<Name extends keyof ClientEvents>(name: Name, event: () => ClientEvents[Name]): void;
}

/** Shorter delays by the rate limit are not emitted: timers and queues cause them. */
export const SHORTEST_WAIT_MS = 50;

type Listeners = { readonly [Name in keyof ClientEvents]: Set<Listener<Name>> };

export function createEmitter(): Emitter {
  const listeners: Listeners = {
    attempt: new Set(),
    response: new Set(),
    wait: new Set(),
    retry: new Set(),
    pause: new Set(),
    task: new Set(),
    admission: new Set(),
    submission: new Set(),
    completion: new Set(),
  };
  return {
    on(name, listener) {
      if (!Object.hasOwn(listeners, name))
        throw wrongValue("name", `be one of ${Object.keys(listeners).join(", ")}`, shown(name));
      if (typeof listener !== "function") throw wrongValue("listener", "be a function", shown(listener));
      const added = listeners[name];
      // A function that is added twice is called twice, and each call of `on` is undone by itself.
      const own: typeof listener = (event) => listener(event);
      added.add(own);
      return () => void added.delete(own);
    },
    emit(name, make) {
      const called = listeners[name];
      // One listener may remove another, which is then not called.
      for (const listener of [...called]) if (called.has(listener)) void notify(listener, make());
    },
  };
}

/** Calls a listener at once. A listener may be async: an unhandled rejection would end the process. */
async function notify<Event>(listener: (event: Event) => unknown, event: Event): Promise<void> {
  try {
    await listener(event);
  } catch {
    // The call continues.
  }
}

/** One HTTP attempt. */
export interface AttemptEvent {
  /** The `X-Request-Id`, which the attempts of one call share. Audio has none. */
  requestId: string | null;
  method: "GET" | "POST";
  url: string;
  /** The task that is read; `null` for every other request. */
  taskId: string | null;
}

/** The result of an attempt. */
export interface ResponseEvent extends AttemptEvent {
  /** The HTTP status; `null` if there is a `failure`, also if an unusable response came. */
  status: number | null;
  /** Why there is no usable response; `null` with a usable one, whatever its status. */
  failure: RequestFailure | null;
  /** How long it took by the client's clock, in milliseconds. */
  durationMs: number;
  /** Requests left in the key's current window (`X-RateLimit-Remaining`); `null` if the response did not state it. */
  remaining: number | null;
}

/**
 * Why an attempt has no usable response: `never_sent` if the connection could not be made, `aborted_before_sending` if
 * the caller aborted before, and `aborted`, `timed_out` or `connection_lost` if the service may have received the request. A
 * response is unusable if it is `too_large`, or `foreign`: it belongs to another request.
 */
export type RequestFailure =
  | "never_sent"
  | "aborted_before_sending"
  | "aborted"
  | "timed_out"
  | "connection_lost"
  | "too_large"
  | "foreign";

/** Emitted when the rate limit admits a request to the service, before its attempt. */
export interface AdmissionEvent {
  /** What the request is for. */
  kind: RequestKind;
  /** The purpose of the request, such as `read task …`. */
  purpose: string;
  /** The option `tenant` of the call; `null` without one. */
  tenant: string | null;
  /** The task that is read; `null` for every other request. */
  taskId: string | null;
  /** How long the rate limit delayed it, in milliseconds. The interval between two polls is no delay. */
  waitedMs: number;
}

/** Emitted when a request is admitted that the rate limit delayed by 50 ms or longer, with the fields of its admission. */
export type WaitEvent = AdmissionEvent;

/** Emitted before a failed call is retried, or a task is polled again after a failed read. */
export interface RetryEvent {
  /** The number of the retry, from 1. For a task it restarts after each successful read. */
  retry: number;
  /** The wait before it, in milliseconds. The rate limit may lengthen it. */
  waitMs: number;
  /** Why the last attempt failed. */
  error: unknown;
}

/** Emitted after a 429: nothing is sent with this key until `until`. */
export interface PauseEvent {
  /** The length of the pause in milliseconds. */
  forMs: number;
  until: Date;
}

/** Emitted when a wait or a watch receives a change of a task. */
export interface TaskEvent {
  task: Task;
}

/**
 * Emitted when a create has ended, after all its attempts. A task that a journal already has is not submitted again. The journal
 * does not have the task of the event yet: a process that is killed in the listener leaves an intent. `onSubmitted` is called after
 * the journal has recorded the task.
 */
export interface SubmissionEvent {
  /**
   * `created`: the task exists. `not_created`: it certainly does not, and nothing is charged. `unknown`: it may exist, and
   * may be charged (see `SubmissionOutcomeUnknownError`).
   */
  outcome: "created" | "not_created" | "unknown";
  /** The requested `model`. */
  model: string;
  /** The requested `task_type`. */
  taskType: string;
  /** The option `tenant` of the call; `null` without one. */
  tenant: string | null;
  /** The option `journalKey` of the call, which names the order; `null` without a journal. */
  journalKey: string | null;
  /** The task that was created; otherwise `null`. */
  taskId: string | null;
  /**
   * The credits that are frozen for the task; if the response does not state them, the listed price. `null` unless the task
   * was created, and without a listed price.
   */
  credits: number | null;
  /** Why there is no complete response; otherwise `null`. */
  error: unknown;
}

/**
 * Emitted when a poll of a wait or a watch finds that its task has ended, once per poll: waits on one task share its polls.
 * A later wait on the task emits it again.
 */
export interface CompletionEvent {
  /** The task, whose status is `success`, `failure` or `timeout`. */
  task: Task;
  /** The option `tenant` of the wait; `null` without one. */
  tenant: string | null;
  /** The `Date` of the response that reported the end: the service's clock, in whole seconds; `null` without one. */
  date: string | null;
  /** When the response was received, by the client's clock in milliseconds since the epoch. */
  receivedAt: number;
}

/** The events of a client, by the name for `client.on`. */
export interface ClientEvents {
  attempt: AttemptEvent;
  response: ResponseEvent;
  wait: WaitEvent;
  retry: RetryEvent;
  pause: PauseEvent;
  task: TaskEvent;
  admission: AdmissionEvent;
  submission: SubmissionEvent;
  completion: CompletionEvent;
}

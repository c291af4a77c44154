import type { Task } from "../contract/task.js";
import { shown, wrongValue } from "../errors/base.js";

/** Called with each event of one kind. What it throws, or rejects with, is ignored. */
export type Listener<Name extends keyof ClientEvents> = (event: ClientEvents[Name]) => void;

export interface Emitter {
  /** Adds a listener; returns a function that removes it. */
  on<Name extends keyof ClientEvents>(name: Name, listener: Listener<Name>): () => void;
  /** Makes an event and emits it, if there are listeners. */
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
  };
  return {
    on(name, listener) {
      if (!Object.hasOwn(listeners, name))
        throw wrongValue("name", `be one of ${Object.keys(listeners).join(", ")}`, shown(name));
      if (typeof listener !== "function") throw wrongValue("listener", "be a function", shown(listener));
      const added = listeners[name];
      added.add(listener);
      return () => void added.delete(listener);
    },
    emit(name, make) {
      const called = listeners[name];
      if (called.size === 0) return;
      const event = make();
      for (const listener of [...called]) notify(listener, event);
    },
  };
}

function notify<Event>(listener: (event: Event) => unknown, event: Event): void {
  try {
    const returned = listener(event);
    // A listener may be async: an unhandled rejection would end the process.
    if (typeof Object(returned).then === "function") Promise.resolve(returned).catch(() => {});
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
  /** The HTTP status; `null` without a response. */
  status: number | null;
  /** How long it took by the client's clock, in milliseconds. */
  durationMs: number;
  /** Requests left in the key's current window (`X-RateLimit-Remaining`); `null` if the response did not state it. */
  remaining: number | null;
}

/** Emitted when a request is sent that the rate limit delayed by 50 ms or longer. */
export interface WaitEvent extends Omit<AttemptEvent, "requestId" | "method" | "url"> {
  /** The purpose of the request, such as `read task …`. */
  purpose: string;
  /** How long it waited, in milliseconds. */
  waitedMs: number;
}

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

/** The events of a client, by the name for `client.on`. */
export interface ClientEvents {
  attempt: AttemptEvent;
  response: ResponseEvent;
  wait: WaitEvent;
  retry: RetryEvent;
  pause: PauseEvent;
  task: TaskEvent;
}

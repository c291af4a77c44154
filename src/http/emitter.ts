import { InvalidOptionError, shown } from "../errors/base.js";
import type { ClientEvents } from "./events.js";

/** Called with each event of one kind. What it throws, or rejects with, is nobody's concern: no call fails of it. */
export type Listener<Name extends keyof ClientEvents> = (event: ClientEvents[Name]) => void;

/** Hands events to whoever listens. */
export interface Emitter {
  /** Listens; answers how to stop it. */
  on<Name extends keyof ClientEvents>(name: Name, listener: Listener<Name>): () => void;
  /** Makes an event and hands it on, where anybody listens. */
  emit<Name extends keyof ClientEvents>(name: Name, event: () => ClientEvents[Name]): void;
}

export function createEmitter(): Emitter {
  const listeners: { [Name in keyof ClientEvents]: Set<Listener<Name>> } = {
    attempt: new Set(),
    answer: new Set(),
    wait: new Set(),
    retry: new Set(),
    pause: new Set(),
    task: new Set(),
  };
  return {
    on(name, listener) {
      if (!Object.hasOwn(listeners, name))
        throw new InvalidOptionError("name", `be ${Object.keys(listeners).join(", ")}`, shown(name));
      if (typeof listener !== "function")
        throw new InvalidOptionError("listener", "be a function", shown(listener));
      listeners[name].add(listener);
      return () => void listeners[name].delete(listener);
    },
    emit(name, make) {
      if (listeners[name].size === 0) return;
      const event = make();
      for (const listener of [...listeners[name]]) void tell(listener, event);
    },
  };
}

/** A listener may be `async` all the same: a rejection that nobody catches ends a process, and all that it waits for. */
async function tell<Event>(listener: (event: Event) => void, event: Event): Promise<void> {
  try {
    await listener(event);
  } catch {}
}

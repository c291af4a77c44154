import { nextTurn } from "../time/event-loop.js";

type Listener = (reason: unknown) => void;

/** What Node, Deno and Bun have. */
interface Host {
  readonly process?: {
    listeners?(event: string): Listener[];
    on(event: string, listener: Listener): void;
    off(event: string, listener: Listener): void;
  };
}

const EVENT = "unhandledRejection";

/**
 * Receives the rejections that a program does not handle, in place of the test runner. Returns a function that restores the
 * listeners, after the rejections up to now were received. Without effect in a browser.
 */
export function receiveUnhandled(listener: Listener): () => Promise<void> {
  const { process: host } = globalThis as Host;
  const others = host?.listeners?.(EVENT);
  if (host === undefined || others === undefined) return async () => {};
  for (const other of others) host.off(EVENT, other);
  host.on(EVENT, listener);
  return async () => {
    // Node reports them after the microtasks.
    await new Promise<void>((resolve) => nextTurn(resolve));
    host.off(EVENT, listener);
    for (const other of others) host.on(EVENT, other);
  };
}

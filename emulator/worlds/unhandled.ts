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
 * listeners once, however often it is called. Without effect in a browser.
 */
export function receiveUnhandled(listener: Listener): () => void {
  const { process: host } = globalThis as Host;
  const others = host?.listeners?.(EVENT);
  if (host === undefined || others === undefined) return () => {};
  for (const other of others) host.off(EVENT, other);
  host.on(EVENT, listener);
  return () => {
    host.off(EVENT, listener);
    for (const other of others.splice(0)) host.on(EVENT, other);
  };
}

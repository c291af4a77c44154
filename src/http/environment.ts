/** A variable of the environment, in runtimes that have one; empty counts as unset. */
export function environmentVariable(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    const { env = {} } = process ?? {};
    return (Object.hasOwn(env, name) && env[name]) || undefined;
  } catch {
    // Some runtimes refuse to be asked without a permission.
    return undefined;
  }
}

/** Whether this code runs in a web page or one of its workers, where anyone can read a key. */
export function isBrowser(): boolean {
  const { window, document, importScripts } = globalThis as {
    window?: { document?: unknown };
    document?: unknown;
    importScripts?: unknown;
  };
  const isPage = typeof window === "object" && typeof (document ?? window?.document) === "object";
  return isPage || typeof importScripts === "function";
}

/**
 * The form of a request body that this runtime's `fetch` cannot send a second time by itself.
 *
 * - Node repeats a request after a 421 (Misdirected Request), unless its body is a stream.
 * - Deno repeats a request whose connection breaks, unless its body is a `Blob` or a stream. It would send a stream chunked.
 * - Chromium repeats a request after a 421 and, on a reused connection, after a 408. Browsers stream request bodies over
 *   HTTP/2 only, so a page cannot prevent this.
 * - Bun and workerd repeat no POST.
 */
export function oneShotBodyForm(): "stream" | "blob" | "string" {
  if ("Deno" in globalThis) return "blob";
  const { process } = globalThis as { process?: { versions?: { undici?: string } } };
  return process?.versions?.undici !== undefined && !isBrowser() ? "stream" : "string";
}

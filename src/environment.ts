/** A variable of the environment, in runtimes that have one; empty counts as unset. */
export function environmentVariable(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
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
 * Whether this runtime's `fetch` sends a request again by itself when its connection breaks: Deno's does, and a POST
 * too, unless the body is a stream that can be read only once. No header and no option forbids it.
 */
export function fetchResendsText(): boolean {
  return "Deno" in globalThis;
}

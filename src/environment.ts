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

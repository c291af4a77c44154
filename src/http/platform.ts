/** Where warnings go by default. */
export const platformConsole = {
  warn: (message: string) => console.warn(`async-music: ${message}`),
};

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

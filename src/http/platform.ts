/** Where warnings go by default. */
export const platformConsole = {
  warn: (message: string) => console.warn(`async-music: ${message}`),
};

/** Whether this code runs in a web page or one of its workers, where anyone can read a key. */
export function isBrowser(): boolean {
  const at = (name: string): unknown => Reflect.get(globalThis, name);
  const document = at("document") ?? Object(at("window")).document;
  const isPage = typeof at("window") === "object" && typeof document === "object";
  return isPage || typeof at("importScripts") === "function";
}

import type { Mount } from "./mount.js";

/** The shortest way: no network, and nothing that stands for one. */
export const injectedFetch: Mount = async (emulator) => ({
  baseUrl: emulator.url,
  fetch: emulator.fetch,
  clientFetch: emulator.fetch,
  close: async () => {},
});

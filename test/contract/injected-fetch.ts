import type { Adapter } from "./adapter.js";

/** The shortest way: no network, and nothing that stands for one. */
export const injectedFetch: Adapter = async (emulator) => ({
  baseUrl: emulator.url,
  fetch: emulator.fetch,
  clientFetch: emulator.fetch,
  close: async () => {},
});

import { describeContract } from "./describe-contract.js";

describeContract("an injected fetch", async (emulator) => ({
  baseUrl: emulator.url,
  fetch: emulator.fetch,
  clientFetch: emulator.fetch,
  close: async () => {},
}));

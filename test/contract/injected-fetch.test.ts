import { describeContractOnNode } from "./describe-contract-on-node.js";

describeContractOnNode("an injected fetch", async (emulator) => ({
  baseUrl: emulator.url,
  fetch: emulator.fetch,
  clientFetch: emulator.fetch,
  close: async () => {},
}));

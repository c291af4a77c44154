import { serve } from "../../emulator/node.js";
import { describeContractOnNode } from "./describe-contract-on-node.js";

describeContractOnNode("a port", async (emulator) => {
  const { url, close } = await serve(emulator, { port: 0 });
  return { baseUrl: url, fetch: globalThis.fetch, clientFetch: undefined, close };
});

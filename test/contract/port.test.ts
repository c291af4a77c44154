import { serve } from "../../emulator/node.js";
import { describeContract } from "./describe-contract.js";

describeContract("a port", async (emulator) => {
  const { url, close } = await serve(emulator, { port: 0 });
  return { baseUrl: url, fetch: globalThis.fetch, clientFetch: undefined, close };
});

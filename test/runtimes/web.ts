import { describeContract } from "../contract/describe-contract.js";

// What every runtime is asked to run: it needs the web's standards and nothing else.

describeContract("an injected fetch", async (emulator) => ({
  baseUrl: emulator.url,
  fetch: emulator.fetch,
  clientFetch: emulator.fetch,
  // A page is where the SDK refuses to start unless it is told that this is meant.
  clientOptions: { dangerouslyAllowBrowser: true },
  close: async () => {},
}));

export { runTests } from "./test-runner.js";

import { describeContract } from "../contract/describe-contract.js";
import { injectedFetch } from "../contract/world.js";

// The tests of every runtime: they need web standards only.

describeContract("an injected fetch", async (emulator) => ({
  ...(await injectedFetch(emulator)),
  // Without this option, the SDK does not start in a browser.
  clientOptions: { dangerouslyAllowBrowser: true },
}));

export { runTests } from "./test-runner.js";

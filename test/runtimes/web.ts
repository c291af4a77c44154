import { describeContract } from "../contract/describe-contract.js";
import { injectedFetch } from "../contract/world.js";

// What every runtime is asked to run: it needs the web's standards and nothing else.

describeContract("an injected fetch", async (emulator) => ({
  ...(await injectedFetch(emulator)),
  // A page is where the SDK refuses to start unless it is told that this is meant.
  clientOptions: { dangerouslyAllowBrowser: true },
}));

export { runTests } from "./test-runner.js";

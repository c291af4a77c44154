import { setupWorker } from "msw/browser";
import { emulatorHandlers } from "../../emulator/msw.js";
import { describeContract } from "../contract/describe-contract.js";
import { type Exception, runTests } from "./test-runner.js";

// The handlers of MSW in a service worker, with the browser's own fetch.

const NO_ABORTS: Exception = {
  reason:
    "in a browser, MSW does not report an abort to its handlers: a stalled request stops the virtual clock",
  tests: [
    "a wait > survives a response that never comes",
    "a wait > ends within 1 s of its maxWaitMs, since a response that never comes",
  ],
};

const worker = setupWorker();
await worker.start({ quiet: true });

describeContract("MSW's service worker", async (emulator) => {
  worker.use(...emulatorHandlers(emulator));
  return {
    baseUrl: emulator.url,
    fetch: (input, init) => fetch(input, init),
    clientFetch: undefined,
    clientOptions: { dangerouslyAllowBrowser: true },
    close: async () => worker.resetHandlers(),
  };
});

const results = await runTests([NO_ABORTS]);
await worker.stop();
await fetch("/results", { method: "POST", body: JSON.stringify(results) });

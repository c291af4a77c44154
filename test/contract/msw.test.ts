import { setupServer } from "msw/node";
import { afterAll, beforeAll } from "vitest";
import { emulatorHandlers } from "../../emulator/msw.js";
import { describeContract } from "./describe-contract.js";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterAll(() => server.close());

describeContract("MSW 3", async (emulator) => {
  server.use(...emulatorHandlers(emulator));
  return {
    baseUrl: emulator.url,
    fetch: globalThis.fetch,
    clientFetch: undefined,
    close: async () => server.resetHandlers(),
  };
});

import { setupServer } from "msw/node";
import { afterAll, beforeAll } from "vitest";
import { emulatorHandlers } from "../../emulator/msw.js";
import { describeContractOnNode } from "./describe-contract-on-node.js";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterAll(() => server.close());

describeContractOnNode("MSW 3", async (emulator) => {
  server.use(...emulatorHandlers(emulator));
  return {
    baseUrl: emulator.url,
    fetch: globalThis.fetch,
    clientFetch: undefined,
    close: async () => server.resetHandlers(),
  };
});

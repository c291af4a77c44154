import { setupServer } from "msw2/node";
import { afterAll, beforeAll, vi } from "vitest";
import { emulatorHandlers } from "../../emulator/msw.js";
import { describeContractOnNode } from "./describe-contract-on-node.js";

/** Where only MSW 2 is installed, it is what the handlers are made with. */
vi.mock("msw", () => import("msw2"));

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterAll(() => server.close());

describeContractOnNode("MSW 2", async (emulator) => {
  server.use(...emulatorHandlers(emulator));
  return {
    baseUrl: emulator.url,
    fetch: globalThis.fetch,
    clientFetch: undefined,
    close: async () => server.resetHandlers(),
  };
});

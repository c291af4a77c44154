import { afterAll, beforeAll } from "vitest";
import { emulatorHandlers } from "../../emulator/msw.js";
import { describeContractOnNode } from "./describe-contract-on-node.js";

/** The contract tests through the handlers in a server of MSW. */
export function describeContractByMsw(
  name: string,
  server: { use(...handlers: never[]): void; resetHandlers(): void; close(): void },
  listen: () => void,
): void {
  beforeAll(listen);
  afterAll(() => server.close());
  describeContractOnNode(name, async (emulator) => {
    server.use(...emulatorHandlers(emulator));
    const close = async () => server.resetHandlers();
    return { baseUrl: emulator.url, fetch: globalThis.fetch, clientFetch: undefined, close };
  });
}

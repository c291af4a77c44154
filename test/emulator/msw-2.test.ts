import { vi } from "vitest";
import { setupServer } from "../../tools/msw-2/node.js";
import { describeMswAdapter } from "./support/msw-adapter.js";

vi.mock("msw", () => import("../../tools/msw-2/msw.js"));

describeMswAdapter("MSW 2", (...handlers) => {
  const server = setupServer(...handlers);
  server.listen({ onUnhandledRequest: "error" });
  return server;
});

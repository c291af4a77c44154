import { setupServer } from "msw2/node";
import { vi } from "vitest";
import { describeMswAdapter } from "./support/msw-adapter.js";

vi.mock("msw", () => import("msw2"));

describeMswAdapter("MSW 2", (...handlers) => {
  const server = setupServer(...handlers);
  server.listen({ onUnhandledRequest: "error" });
  return server;
});

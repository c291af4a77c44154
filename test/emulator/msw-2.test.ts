import { emulatorHandlers } from "async-music/emulator/msw";
import { setupServer } from "msw2/node";
import { afterEach, vi } from "vitest";
import { describeMswAdapter } from "./support/msw-adapter.js";

vi.mock("msw", () => import("msw2"));

const started: { close(): void }[] = [];
afterEach(() => {
  for (const server of started.splice(0)) server.close();
});

describeMswAdapter("MSW 2", (emulator) => {
  const server = setupServer(...emulatorHandlers(emulator));
  server.listen({ onUnhandledRequest: "error" });
  started.push(server);
});

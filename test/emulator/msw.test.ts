import { createEmulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { setupServer } from "msw/node";
import { expect, test } from "vitest";
import { describeMswAdapter } from "./support/msw-adapter.js";

describeMswAdapter("MSW 3", (...handlers) => {
  const server = setupServer(...handlers);
  server.listen({ onUnhandledFrame: "error" });
  return server;
});

test("handlers for an object that `createEmulator` did not make are refused", () => {
  expect(() => emulatorHandlers({ ...createEmulator() })).toThrow("createEmulator");
});

import { createEmulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { setupServer } from "msw/node";
import { afterEach, expect, test } from "vitest";
import { describeMswAdapter } from "./support/msw-adapter.js";

const started: { close(): void }[] = [];
afterEach(() => {
  for (const server of started.splice(0)) server.close();
});

describeMswAdapter("MSW 3", (emulator) => {
  const server = setupServer(...emulatorHandlers(emulator));
  server.listen({ onUnhandledFrame: "error" });
  started.push(server);
});

test("handlers for an object that `createEmulator` did not make are refused", () => {
  expect(() => emulatorHandlers({ ...createEmulator() })).toThrow("createEmulator");
});

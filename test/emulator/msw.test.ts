import { createEmulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { setupServer } from "msw/node";
import { afterEach, expect, test } from "vitest";
import { describeMswMount } from "./support/msw-mount.js";

const started: { close(): void }[] = [];
afterEach(() => {
  for (const server of started.splice(0)) server.close();
});

describeMswMount("MSW 3", (emulator) => {
  const server = setupServer(...emulatorHandlers(emulator));
  server.listen({ onUnhandledFrame: "error" });
  started.push(server);
});

test("what no emulator made can't be mounted", () => {
  expect(() => emulatorHandlers({ ...createEmulator() })).toThrow("createEmulator");
});

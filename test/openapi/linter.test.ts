import { expect, test } from "vitest";
import { createEmulator } from "../../emulator/index.js";
import { lintDescription } from "../../tools/openapi/programs.js";

test.each(["/openapi.json", "/_emulator/openapi.json"])(
  "%s passes the recommended rules of a public linter, without a warning",
  async (path) => {
    await using emulator = createEmulator();
    const response = await emulator.fetch(emulator.url + path);
    expect(await lintDescription(await response.text())).toEqual([]);
  },
);

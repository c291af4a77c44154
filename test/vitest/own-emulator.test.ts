import { checkCompliance, createEmulator, type Emulator } from "async-music/emulator";
import { test as base } from "async-music/emulator/vitest";
import { describe, expect } from "vitest";
import { pollTwice } from "./poll-twice.js";

describe("an `emulator` of the test's own", () => {
  const test = base.extend<{ emulator: Emulator }>({
    emulator: async ({ breaks }, use) => {
      await using emulator = createEmulator({ credits: 33 });
      await use(emulator);
      checkCompliance(emulator, { breaks: [...breaks.rules] });
    },
  });

  test("can use what the test declares with `breaks`", async ({ emulator, client, breaks }) => {
    breaks("polled_too_often");
    await pollTwice(emulator);
    expect(await client.account.balance()).toMatchObject({ total: 33 });
  });
});

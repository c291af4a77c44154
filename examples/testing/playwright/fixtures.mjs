import { once } from "node:events";
import { test as base } from "@playwright/test";
import { AsyncMusic } from "async-music";
import { checkCompliance, createEmulator } from "async-music/emulator";
import { createShop } from "./shop.mjs";

export { expect } from "@playwright/test";

export const test = base.extend({
  // One emulator and one server for each worker. A worker runs one test at a time.
  shop: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures this one needs.
    async ({}, use) => {
      const emulator = createEmulator({ credits: 100 });
      const server = createShop(new AsyncMusic(emulator.connection())).listen(0, "127.0.0.1");
      await once(server, "listening");
      await use({ emulator, url: `http://127.0.0.1:${server.address().port}` });
      server.close();
    },
    { scope: "worker" },
  ],

  baseURL: ({ shop }, use) => use(shop.url),

  // Checked after each test, which leaves nothing to the next one.
  emulator: [
    async ({ shop: { emulator } }, use, { errors }) => {
      await use(emulator);
      try {
        checkCompliance(emulator, { failed: errors.length > 0 });
      } finally {
        emulator.reset();
      }
    },
    { auto: true },
  ],
});

import { defineConfig } from "vitest/config";
import { alias } from "../../vitest.config.js";
import { ROOMS } from "./rooms.mjs";

export default defineConfig({
  resolve: { alias },
  test: {
    include: ROOMS[process.env.ROOM as keyof typeof ROOMS].tests,
    exclude: ["test/sdk/{fleet,full-disk}.test.ts"],
    testTimeout: 30_000,
    isolate: false,
  },
});

import { defineConfig } from "@playwright/test";

export default defineConfig({
  use: {
    // An installed browser instead of Playwright's own. Only for a container: `--no-sandbox`.
    launchOptions: { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] },
  },
});

import { type Browser, chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.ts";

export { default as axe } from "axe-core";
export type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";

/** Without a browser, it fails. */
export const launchBrowser = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM });

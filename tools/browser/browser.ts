export { default as axe } from "axe-core";
export { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";

import axe, { type Result, type RunOptions } from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { CHROMIUM } from "./chromium.ts";

export type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";

/** Without a browser, it fails. */
export const launchBrowser = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM });

/** What the source of axe defines in a page. */
interface InPage {
  axe: typeof axe;
}

/** The violations that axe finds within a part of the page as it is now. */
export async function violationsOf(page: Page, options: RunOptions, within = "html"): Promise<Result[]> {
  await page.evaluate(axe.source);
  // Only violations are described and sent: most rules are kept in hundreds of elements.
  const given: [string, RunOptions] = [within, { ...options, resultTypes: ["violations"] }];
  return page.evaluate(
    async ([part, chosen]) => (await (globalThis as unknown as InPage).axe.run(part, chosen)).violations,
    given,
  );
}

import { onTestFinished } from "vitest";
import { launchBrowser } from "../../tools/browser/browser.js";

/** Orders a song on the page of a web example, in Chromium. */
export async function orderOnPage(url: string) {
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const errors: Error[] = [];
  page.on("pageerror", (error) => errors.push(error));
  await page.goto(url);
  await page.getByLabel("Describe a song").fill("rain in Lisbon");
  await page.getByRole("button", { name: "Order" }).click();
  const bar = page.getByRole("progressbar");
  return { page, bar, progress: async () => Number(await bar.getAttribute("value")), errors };
}

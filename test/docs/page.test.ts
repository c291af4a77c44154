import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

const site = ".reports/site-page";

let browser: Browser;

beforeAll(async () => {
  spawnSync("npx", ["typedoc", "--out", site]);
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
});

afterAll(() => browser.close());

interface Axe {
  axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
}

test.each([
  ["light", 1440],
  ["light", 390],
  ["dark", 1440],
  ["dark", 390],
] as const)(
  "axe finds no violation, and nothing is wider than the page: %s, %i px",
  async (colorScheme, width) => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
    const wrong: string[] = [];
    for (const path of pages()) {
      await open(page, path);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => (globalThis as unknown as Axe).axe.run());
      wrong.push(...violations.map(({ id, nodes }) => `${path}: ${id}: ${nodes[0]?.html}`));
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
        wrong.push(`${path}: too wide`);
    }
    await page.close();
    expect(wrong).toEqual([]);
  },
);

test.each([
  ["rate limit", "How it works"],
  ["journal", "Avoid duplicate charges"],
  ["retry", "Errors"],
  ["Tasks", "async-music.Tasks"],
  ["saveAudio", "async-music/node.saveAudio"],
  ["TaskFailedError", "async-music.TaskFailedError"],
])("the search for %s leads to %s first", async (words, first) => {
  const page = await browser.newPage();
  await open(page, "index.html");
  await page.click("#tsd-search-trigger");
  await page.fill("#tsd-search-input", words);
  const result = await page.waitForSelector("#tsd-search-results li .text");
  expect((await result.textContent())?.replace(/\s+/g, "")).toBe(first.replaceAll(" ", ""));
  await page.close();
});

test("the guides lead from one to the next, and the bar to each part", async () => {
  const page = await browser.newPage();
  await open(page, "documents/Getting_started.html");
  await page.click(".site-next");
  expect(await page.textContent("h1 >> nth=-1")).toContain("How it works");
  await page.click(".site-previous");
  expect(await page.textContent(".site-next")).toContain("How it works");
  expect(await page.locator(".site-previous").count()).toBe(0);
  for (const [label, title] of [
    ["API", "async-music"],
    ["Emulator", "Testing"],
    ["Changelog", "Changelog"],
    ["Guides", "Getting started"],
  ]) {
    await page.click(`#tsd-toolbar-links >> text=${label}`);
    expect(await page.title()).toContain(title);
  }
  await page.close();
});

/** Every guide, and one page of each kind of the API reference. */
function pages(): string[] {
  const kinds = [
    "index",
    "modules",
    "hierarchy",
    "modules/async-music",
    "classes/async-music.AsyncMusic",
    "interfaces/async-music.Tasks",
    "functions/async-music.creditsFor",
    "types/async-music.TaskRequest",
    "variables/async-music.LIMITS",
  ];
  return [...kinds.map((kind) => `${kind}.html`), ...globSync("documents/*.html", { cwd: site }).sort()];
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${pathToFileURL(site)}/${path}`);
  await page.waitForFunction(() => document.body.style.display !== "none");
}

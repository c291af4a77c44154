import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe, type Browser, chromium, type Page } from "../../tools/browser/browser.js";

const TYPEDOC = ["tools/install/main.ts", "site", "--", "typedoc"];
const site = ".reports/site-page";

/** A page of each kind of the API reference. */
const KINDS = [
  "index.html",
  "modules.html",
  "hierarchy.html",
  "modules/async-music.html",
  "classes/async-music.AsyncMusic.html",
  "interfaces/async-music.Tasks.html",
  "functions/async-music.creditsFor.html",
  "types/async-music.TaskRequest.html",
  "variables/async-music.LIMITS.html",
];

const guides = () => globSync("documents/*.html", { cwd: site }).sort();

let browser: Browser;

beforeAll(async () => {
  spawnSync("node", [...TYPEDOC, "--out", site]);
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
});

afterAll(() => browser.close());

interface Axe {
  axe: {
    run(
      within: string,
      options: object,
    ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
  };
}

/** The themes differ in their colors only. The guides share theirs, and what stands beside their text. */
test.each([
  ["light", {}, () => [...KINDS, ...guides()]],
  ["dark", { runOnly: ["color-contrast"] }, () => [...KINDS, ...guides().slice(0, 5)]],
] as const)("axe finds no violation in the %s theme", async (colorScheme, options, paths) => {
  const page = await browser.newPage({ colorScheme });
  const wrong: string[] = [];
  for (const path of paths()) {
    await open(page, path);
    await page.evaluate(axe.source);
    const within = KINDS.includes(path) ? "html" : ".col-content";
    const run = ([part, chosen]: [string, object]) => (globalThis as unknown as Axe).axe.run(part, chosen);
    const { violations } = await page.evaluate(run, [within, options] as [string, object]);
    wrong.push(...violations.map(({ id, nodes }) => `${path}: ${id}: ${nodes[0]?.html}`));
  }
  await page.close();
  expect(wrong).toEqual([]);
});

test.each([1440, 390])("nothing is wider than a page of %i px", async (width) => {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const wrong: string[] = [];
  for (const path of [...KINDS, ...guides()]) {
    await open(page, path);
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) wrong.push(path);
  }
  await page.close();
  expect(wrong).toEqual([]);
});

test("code fits into its box at 1300 px", async () => {
  const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
  const wide: string[] = [];
  for (const path of ["index.html", ...guides()]) {
    await open(page, path);
    const boxes = await page.$$eval("pre", (all) =>
      all.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.innerText.slice(0, 80)),
    );
    wide.push(...boxes.map((text) => `${path}: ${text}`));
  }
  await page.close();
  expect(wide).toEqual([]);
});

test.each([
  ["rate limit", "How it works"],
  ["journal", "Avoid duplicate charges"],
  ["retry", "Errors and troubleshooting"],
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
  expect(await page.textContent("h1 >> nth=-1")).toContain("Avoid duplicate charges");
  await page.click(".site-previous");
  expect(await page.textContent(".site-next")).toContain("Avoid duplicate charges");
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

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${pathToFileURL(site)}/${path}`);
  await page.waitForFunction(() => document.body.style.display !== "none");
}

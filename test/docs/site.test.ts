import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, launchBrowser, type Page, violationsOf } from "../../tools/browser/browser.js";
import { linksOf } from "../support/markdown-links.js";

const TYPEDOC = ["tools/install/main.ts", "site", "--", "typedoc"];
const site = ".reports/site";

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

let built: { status: number | null; stdout: string; stderr: string };
let browser: Browser;

beforeAll(async () => {
  built = spawnSync("node", [...TYPEDOC, "--out", site], { encoding: "utf8" });
  spawnSync("npm", ["run", "--silent", "build:tools", "--", site]);
  browser = await launchBrowser();
});

afterAll(() => browser.close());

test("the site is built without a warning", () => {
  expect([built.status, built.stdout + built.stderr]).toEqual([0, expect.not.stringMatching(/warn/i)]);
});

test("every link of every page has a target", () => {
  const pages = globSync(`${site}/**/*.html`);
  expect(pages.length).toBeGreaterThan(100);
  expect(pages.flatMap((page) => deadLinksOf(page).map((link) => `${page}: ${link}`))).toEqual([]);
});

test("every link of the index for tools has a target", () => {
  const links = [...readFileSync(`${site}/llms.txt`, "utf8").matchAll(/\]\((.+?)\)/g)].map(
    ([, link]) => link,
  );
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !existsSync(`${site}/${link}`))).toEqual([]);
});

test("every link of the guides as Markdown has a target, except images", () => {
  const guides = globSync(["docs/*.md", "README.md", "examples/README.md"], { cwd: site });
  expect(guides.length).toBeGreaterThan(20);
  const dead = guides.flatMap((guide) =>
    linksOf(join(site, guide))
      .map((link) => link.split("#")[0] ?? "")
      .filter(
        (path) => path !== "" && !path.endsWith(".webp") && !existsSync(join(site, dirname(guide), path)),
      )
      .map((path) => `${guide}: ${path}`),
  );
  expect(dead).toEqual([]);
});

test("every page of a guide, and every export, has a description of its own", () => {
  const descriptionOf = (page: string) =>
    /<meta name="description" content="(.*?)"/.exec(contentOf(page))?.[1] ?? "";
  const pages = globSync(`${site}/{documents,classes,functions,interfaces,types,variables}/*.html`);
  const descriptions = pages.map((page): [string, string] => [page, descriptionOf(page)]);
  const general = "Documentation for async-music";
  expect(descriptions.filter(([, text]) => text === "" || text === general).map(([page]) => page)).toEqual(
    [],
  );
  const guides = descriptions.filter(([page]) => page.includes("/documents/"));
  expect(new Set(guides.map(([, text]) => text)).size).toBe(guides.length);
});

test("the exports of each entry are grouped, and what one calls first comes first", () => {
  const headingsOf = (page: string) =>
    [...contentOf(`${site}/modules/${page}.html`).matchAll(/<h2 [^>]*>([^<]+)</g)].map(
      ([, heading]) => heading,
    );
  expect(headingsOf("async-music")).toEqual([
    ...["Client", "Requests", "Tasks and results", "Audio", "Errors", "Journals", "Budgets", "Rate limit"],
    ...["Options", "Events and clocks", "Constants and types"],
  ]);
  // The clock of the SDK, which is exported again, is in no group.
  expect(headingsOf("async-music_emulator")).toEqual([
    ...["Emulator", "Outcomes, faults and policy", "Requests and findings", "Time and later versions"],
    ...["Seed files and snapshots", "Payments and invoices", "Other"],
  ]);
});

function cutCode(page: Page): Promise<string[]> {
  return page.$$eval("pre", (all) =>
    all.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.innerText.slice(0, 80)),
  );
}

describe("in a browser", () => {
  /** The rules of axe that read colors take longer than all others together. */
  const COLOR_RULES = ["color-contrast", "link-in-text-block"];
  /** The rules of axe for what Markdown can make. Beside it, all guides are alike. */
  const MARKDOWN_RULES = [
    ...["heading-order", "empty-heading", "image-alt", "svg-img-alt", "link-name", "list", "listitem"],
    ...["empty-table-header", "td-headers-attr", "th-has-data-cells", "scrollable-region-focusable"],
    ...["table-duplicate-name", "duplicate-id-aria"],
  ];
  /** Pages that have every color of the site: the others have the same signatures, lists and code. */
  const isColored = (path: string) => /^(index|interfaces|types)/.test(path) || path === guides()[0];

  test("axe finds no violation, and nothing is wider than a page of 1440 or 390 px, or than its box at 1300 px", async () => {
    const page = await browser.newPage({ colorScheme: "light" });
    const wrong: string[] = [];
    const check = async (path: string, options: Parameters<typeof violationsOf>[1]) => {
      const violations = await violationsOf(page, options, KINDS.includes(path) ? "html" : ".col-content");
      wrong.push(...violations.map(({ id, nodes }) => `${path}: ${id}: ${nodes[0]?.html}`));
    };
    for (const path of [...KINDS, ...guides()]) {
      await open(page, path);
      const hasColors = isColored(path);
      const all = { rules: Object.fromEntries(COLOR_RULES.map((rule) => [rule, { enabled: hasColors }])) };
      await check(path, hasColors || KINDS.includes(path) ? all : { runOnly: MARKDOWN_RULES });
      if (hasColors) {
        await page.emulateMedia({ colorScheme: "dark" });
        await check(path, { runOnly: COLOR_RULES });
        await page.emulateMedia({ colorScheme: "light" });
      }
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        if (isWide) wrong.push(`${path}: ${width} px`);
      }
      await page.setViewportSize({ width: 1300, height: 900 });
      if (path === "index.html" || !KINDS.includes(path)) wrong.push(...(await cutCode(page)));
    }
    await page.close();
    expect(wrong).toEqual([]);
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
});

function deadLinksOf(page: string): string[] {
  return [...contentOf(page).matchAll(/ (?:href|src|srcset)="([^"]*)"/g)]
    .map(([, link = ""]) => link.replaceAll("&amp;", "&"))
    .filter((link) => !/^(?:[a-z]+:|#$|$)/.test(link))
    .filter((link) => !hasTarget(page, link));
}

function hasTarget(page: string, link: string): boolean {
  const [path = "", anchor] = decodeURIComponent(link).split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(target) || !statSync(target).isFile()) return false;
  return anchor === undefined || !target.endsWith(".html") || contentOf(target).includes(` id="${anchor}"`);
}

const contents = new Map<string, string>();

function contentOf(page: string): string {
  const content = contents.get(page) ?? readFileSync(page, "utf8");
  contents.set(page, content);
  return content;
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${pathToFileURL(site)}/${path}`);
  await page.waitForFunction(() => document.body.style.display !== "none");
}

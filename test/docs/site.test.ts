import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";

const TYPEDOC = ["tools/install/main.ts", "site", "--", "typedoc"];
const site = ".reports/site";

let built: { status: number | null; stdout: string; stderr: string };

beforeAll(() => {
  built = spawnSync("node", [...TYPEDOC, "--out", site], { encoding: "utf8" });
  spawnSync("npm", ["run", "--silent", "build:tools", "--", site]);
});

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

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

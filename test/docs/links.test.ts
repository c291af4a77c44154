import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { linksOf, withoutFences } from "../support/markdown-links.js";

const PAGES = globSync(["*.md", "docs/*.md", "{examples,src,emulator,cli,test,tools,skills}/**/*.md"])
  .filter((page) => !page.includes("node_modules"))
  .sort();

test.each(PAGES)("every link of %s has a target", (page) => {
  expect(linksOf(page).filter((link) => !hasTarget(page, link))).toEqual([]);
});

// The site has only the files that a page links to. The example for Next.js is copied as a whole.
test("examples/README.md links to every file of the examples", () => {
  const files = globSync("examples/**/*.{ts,mjs,js,py,html,yaml}").filter(
    (file) => !/node_modules|^examples\/next\//.test(file),
  );
  const links = linksOf("examples/README.md").map((link) => join("examples", link));
  expect(files.filter((file) => !links.includes(file))).toEqual([]);
});

test("links without a target are found", () => {
  expect(linksOf("README.md").length).toBeGreaterThan(3);
  expect(hasTarget("README.md", "docs/testing.md#fake-timers")).toBe(true);
  expect(hasTarget("README.md", "docs/testing.md#no-such-heading")).toBe(false);
  expect(hasTarget("README.md", "docs/no-such-guide.md")).toBe(false);
});

function hasTarget(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** The anchors that GitHub gives to headings: small letters, hyphens for blanks, nothing else. */
function anchorsOf(page: string): string[] {
  const text = withoutFences(readFileSync(page, "utf8"));
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect, test } from "vitest";
import { llmsIndex } from "../../tools/documents/llms-index.js";
import { missingNames, namedFiles } from "../support/named-files.js";

const { MODULES }: { MODULES: Record<string, { mutate: string[]; tests: string[] }> } = await import(
  resolve("tools/mutation/modules.mjs")
);

const READMES = globSync("{src,emulator,cli,test,tools,examples}/**/README.md")
  .filter((page) => !page.includes("node_modules"))
  .sort();

/** Single words in code spans that name no folder. */
const WORDS: Record<string, readonly string[]> = {
  "CONTRIBUTING.md": [
    ...["chromium-headless-shell", "redis-server", "postgresql", "pgbouncer", "iproute2", "tini"],
    ...["ts", "instanceof", "engines", "target", "require", "repository", "homepage", "bugs"],
  ],
  "emulator/adapters/README.md": ["fetch"],
  "emulator/control/README.md": ["bind"],
  "examples/README.md": ["node:test"],
  "test/package/README.md": ["ts"],
  "test/postgres/README.md": ["postgresql", "pgbouncer"],
  "test/redis/README.md": ["redis-server"],
  "tools/mutation/README.md": Object.keys(MODULES),
};

test.each(READMES)("every file, folder and script that %s names exists", (page) => {
  expect(missingNames(readFileSync(page, "utf8"), [dirname(page), "."], WORDS[page])).toEqual([]);
});

test("every file, folder and script that CONTRIBUTING.md names exists", () => {
  const text = readFileSync("CONTRIBUTING.md", "utf8");
  expect(namedFiles(text)).toBeGreaterThan(30);
  expect(missingNames(text, [".", "src", "emulator"], WORDS["CONTRIBUTING.md"])).toEqual([]);
});

test("every file, script and entry point that llms.txt names exists", () => {
  expect(missingNames(llmsIndex(), ["."], WORDS["llms.txt"])).toEqual([]);
});

test("llms.txt has one line for each guide of the package, with a link and whole sentences", () => {
  const guides = llmsIndex()
    .split("\n")
    .filter((line) => line.includes("](docs/"));
  const pages = guides.map((line) => {
    const [, page = "", text = ""] = line.match(/^- \[[^\]]+\]\(([^)]+)\): (.+)$/) ?? [line];
    expect(text, page).toMatch(/^(?:[A-Z]|`\w).*\.$/);
    expect(text, page).not.toMatch(/```| - |\|/);
    return page;
  });
  const packed = globSync("docs/*.md", { exclude: ["docs/fidelity.md"] });
  expect(pages.toSorted()).toEqual(packed.toSorted());
});

test("every target of a link of llms.txt exists or is built", () => {
  const links = [...llmsIndex().matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
  const built = ["openapi.json", "seed-file.schema.json"];
  expect(links).toEqual(expect.arrayContaining(built));
  expect(links.filter((link) => !built.includes(link) && !existsSync(link))).toEqual([]);
});

test("every module of the mutation tests names files and tests that exist", () => {
  const patterns = Object.values(MODULES).flatMap(({ mutate, tests }) => [...mutate, ...tests]);
  expect(patterns.length).toBeGreaterThan(20);
  expect(patterns.flatMap(alternativesOf).filter((pattern) => globSync(pattern).length === 0)).toEqual([]);
});

test("the pages name files and folders, and no word is listed in vain", () => {
  expect(READMES.length).toBeGreaterThan(40);
  const named = READMES.map((page) => namedFiles(readFileSync(page, "utf8")));
  expect(named.reduce((sum, count) => sum + count)).toBeGreaterThan(80);
  const textOf = (page: string) => (page === "llms.txt" ? llmsIndex() : readFileSync(page, "utf8"));
  const unused = Object.entries(WORDS).flatMap(([page, words]) =>
    words.filter((word) => !textOf(page).includes(`\`${word}\``)).map((word) => `${page}: ${word}`),
  );
  expect(unused).toEqual([]);
});

test.each([
  ["a file that is gone", "`core.ts` is one emulator, `heap.ts` its queue."],
  ["a file with its folder", "With `--mutate emulator/time/heap.ts`, it tries one file."],
  ["a folder", "The rules are in `kernel/`."],
  ["a folder without a slash", "The rules are in `kernel`."],
  ["a pattern", "See `kernel/*.ts`."],
  ["a file of a folder that only another sentence names", "The log is in `log`. See `audit.ts`."],
  ["a script", "Run `npm run heaps`."],
  ["an entry point", "Import `async-music/heap`."],
])("a page that names what does not exist is found: %s", (_, text) => {
  expect(missingNames(text, ["emulator/core", "."])).toHaveLength(1);
});

test("a file is found in a folder that the sentence names, in commands and in patterns", () => {
  const text =
    "`log` has `audit.ts`, and `log/exchanges.ts` is for `log/*.ts`; run `npx node examples/batch.ts`.";
  expect(missingNames(text, ["emulator/core", "."])).toEqual([]);
});

/** Braces of a pattern, one by one: each file of a list must exist. */
function alternativesOf(pattern: string): string[] {
  const [whole = "", list] = pattern.match(/\{([^{}]+)\}/) ?? [];
  if (list === undefined) return [pattern];
  return list.split(",").flatMap((part) => alternativesOf(pattern.replace(whole, part)));
}

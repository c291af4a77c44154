import { globSync, readFileSync } from "node:fs";

/** A code example of a page. */
export interface Shown {
  /** For example `docs/guide.md, 2` for the second example of its language. */
  name: string;
  code: string;
}

/** Pages with complete programs. */
export const GUIDES: readonly string[] = globSync("docs/*.md").sort();

/** Pages whose code uses the names of `stage.ts`. */
const ON_STAGE = ["README.md", "skills/async-music/SKILL.md"];

const SOURCES: readonly string[] = globSync("{src,emulator,cli}/**/*.ts").sort();

export function shownIn(language: string): Shown[] {
  return GUIDES.flatMap((guide) => fencesOf(guide, readFileSync(guide, "utf8"), language));
}

/** The code of the README, the skill and the docstrings, which uses the names of `stage.ts`. */
export function shownOnStage(language: string): Shown[] {
  return [
    ...ON_STAGE.flatMap((page) => fencesOf(page, readFileSync(page, "utf8"), language)),
    ...SOURCES.flatMap((source) => fencesOf(source, docstringsOf(source), language)),
  ];
}

function fencesOf(page: string, markdown: string, language: string): Shown[] {
  return [...markdown.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
    .filter(([, info]) => info === language)
    .map(([, , code = ""], index) => ({ name: `${page.replaceAll("\\", "/")}, ${index + 1}`, code }));
}

function docstringsOf(source: string): string {
  return [...readFileSync(source, "utf8").matchAll(/\/\*\*[\s\S]*?\*\//g)]
    .map(([docstring]) => docstring.replace(/^ *\* ?/gm, ""))
    .join("\n");
}

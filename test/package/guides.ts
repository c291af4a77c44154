import { globSync, readFileSync } from "node:fs";

/** A piece of code that a guide shows: complete, so that a reader can copy it. */
export interface Shown {
  /** `docs/guide.md, 2`: the second of its language there. */
  name: string;
  code: string;
}

/** What stands in the guides' fences that say this language and nothing more. */
export function shownIn(language: string): Shown[] {
  return globSync("docs/*.md")
    .sort()
    .flatMap((guide) =>
      [...readFileSync(guide, "utf8").matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
        .filter(([, info]) => info === language)
        .map(([, , code = ""], index) => ({ name: `${guide.replaceAll("\\", "/")}, ${index + 1}`, code })),
    );
}

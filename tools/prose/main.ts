/** `npm run prose`: checks the terms of everything that users and contributors read. */

import { globSync, readFileSync } from "node:fs";
import { lintProse } from "./lint.js";

const paths = globSync(
  [
    "*.md",
    ".changeset/*.md",
    "{docs,examples,skills}/**/*.md",
    "{src,emulator,cli,test,tools}/**/README.md",
    "{src,emulator,cli,examples,tools}/**/*.{ts,tsx}",
  ],
  { exclude: ["**/node_modules/**", "docs/fidelity.md"] },
);
const found = await Promise.all(paths.map((path) => lintProse(path, readFileSync(path, "utf8"))));
for (const line of found.flat().sort()) console.log(line);
console.log(`${paths.length} files`);
if (found.flat().length > 0) process.exitCode = 1;

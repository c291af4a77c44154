/** `npm run prose`: checks the terms of everything that users and contributors read. */

import { globSync, readFileSync } from "node:fs";
import { llmsIndex } from "../documents/llms-index.js";
import { lintProse } from "./lint.js";

const paths = globSync(
  [
    "*.md",
    ".changeset/*.md",
    "{docs,examples,skills}/**/*.md",
    "{src,emulator,cli,test,tools}/**/README.md",
    "{docs,src,emulator,cli,examples,tools}/**/*.{ts,tsx,js,mjs,html,py,yaml}",
    "test/golden/error-messages.txt",
  ],
  { exclude: ["**/node_modules/**", "**/.next/**"] },
);
const texts: [path: string, text: string][] = paths.map((path) => [path, readFileSync(path, "utf8")]);
texts.push(["llms.txt", llmsIndex()]);
const found = await Promise.all(texts.map(([path, text]) => lintProse(path, text)));
for (const line of found.flat().sort()) console.log(line);
console.log(`${texts.length} files`);
if (found.flat().length > 0) process.exitCode = 1;

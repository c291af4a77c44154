/**
 * Writes what tools read on a reader's behalf: `llms.txt`, an index of the guides in the README's order; `llms-full.txt`, all
 * of them in one file with the public signatures; and `openapi.json`, the service. Into the package, or into the folder
 * that is named (the site), where the guides themselves then lie beside them.
 */

import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { openApiDocument } from "../emulator/openapi/document.js";

const [folder = "."] = process.argv.slice(2);
const readme = readFileSync("README.md", "utf8");

write("llms.txt", index());
write("llms-full.txt", everything());
write("openapi.json", `${JSON.stringify(openApiDocument(), null, 2)}\n`);
if (folder !== ".")
  for (const page of ["README.md", ...globSync("docs/*.{md,svg}")]) cpSync(page, `${folder}/${page}`);

function write(name: string, content: string): void {
  writeFileSync(`${folder}/${name}`, content);
}

function index(): string {
  const [, what = "", why = ""] = readme.split("\n\n");
  const inOneLine = (paragraph: string) => paragraph.replaceAll("\n", " ");
  const guides = guideTables().map(({ title, rows }) => `## ${title}\n\n${rows.map(listed).join("\n")}`);
  return `${[
    "# async-music",
    `> ${inOneLine(what)}`,
    inOneLine(why),
    "Start with [the README](README.md). Types and their documentation are in `dist/types/`, whose maps lead to the sources in `src/` and `emulator/`.",
    ...guides,
    "## In one file",
    [
      "- [Everything](llms-full.txt): the README, the guides and the public signatures",
      "- [The service](openapi.json): its four endpoints in OpenAPI 3.1",
    ].join("\n"),
  ].join("\n\n")}\n`;
}

interface Guide {
  title: string;
  path: string;
  about: string;
}

function listed({ title, path, about }: Guide): string {
  return `- [${title}](${path}): ${about}`;
}

/** The README's tables of guides. */
function guideTables(): { title: string; rows: Guide[] }[] {
  const tables = [...readme.matchAll(/^\| (.+) \| \|\n\|---\|---\|\n((?:\| \[.*\n)+)/gm)];
  return tables.map(([, title = "", rows = ""]) => ({
    title,
    rows: [...rows.matchAll(/^\| \[(.+)\]\((docs\/.+)\) \| (.+) \|$/gm)].map(
      ([, guide = "", path = "", about = ""]) => ({ title: guide, path, about }),
    ),
  }));
}

/**
 * Left out are Fidelity, which is long and tells how things are shown and not what they are, and the signatures for MSW,
 * a port and vitest, which repeat the emulator's; their guides have them.
 */
function everything(): string {
  const guides = guideTables()
    .flatMap(({ rows }) => rows)
    .filter(({ path }) => path !== "docs/fidelity.md");
  const signatures = ["index", "node", "redis", "emulator"].map((name) => `api/${name}.api.md`);
  return `${[readme, ...[...guides.map(({ path }) => path), ...signatures].map(page)].join("\n\n---\n\n")}\n`;
}

function page(path: string): string {
  const markdown = readFileSync(path, "utf8").replace(/^---\n[\s\S]*?\n---\n/, "");
  return `<!-- ${path} -->\n\n${markdown.trim()}`;
}

/**
 * `llms.txt`: an index of the guides in the order of the site, for agents.
 */

import { readFileSync } from "node:fs";

/** Generated evidence, which is too long for the package. */
const ONLY_ON_THE_SITE = "docs/fidelity.md";

export function llmsIndex(): string {
  const { projectDocuments }: { projectDocuments: string[] } = JSON.parse(
    readFileSync("typedoc.json", "utf8"),
  );
  const guides = projectDocuments
    .filter((path) => path.startsWith("docs/") && path !== ONLY_ON_THE_SITE)
    .map(guideAt);
  const sections = [...new Set(guides.map(({ group }) => group))].map((group) => [
    `## ${group}`,
    guides.filter((guide) => guide.group === group).map(({ entry }) => entry),
  ]);
  return `${[
    "# async-music",
    `> ${introductionOf(readFileSync("README.md", "utf8"))}`,
    "Start with [the README](README.md). Types and their documentation are in `dist/types/`, whose maps lead to the sources in `src/` and `emulator/`.",
    ...sections.map(([heading, entries]) => `${heading}\n\n${[entries].flat().join("\n")}`),
    [
      "## Machine-readable\n",
      "- [Skill](skills/async-music/SKILL.md): install, requests, orders, errors and tests for coding agents, with code to copy",
      "- [The service](openapi.json): its four endpoints in OpenAPI 3.1",
      "- [Seed files](seed-file.schema.json): the JSON Schema of hand-written emulator states",
    ].join("\n"),
  ].join("\n\n")}\n`;
}

/** A guide: `title`, `group` and `description` of its front matter. */
function guideAt(path: string): { group: string; entry: string } {
  const page = readFileSync(path, "utf8");
  const field = (name: string) => new RegExp(`^${name}: "?(.+?)"?$`, "m").exec(page)?.[1] ?? "";
  return { group: field("group"), entry: `- [${field("title")}](${path}): ${field("description")}` };
}

/**
 * The first paragraph below the heading, in one line and without the addresses of its links. A sentence that leads to a
 * code block or a list ends with a colon: it is left out, unless the paragraph has no other.
 */
function introductionOf(page: string): string {
  const [, paragraph = ""] = /^# .+\n\n([\s\S]*?)\n\n/m.exec(page) ?? [];
  return paragraph
    .replaceAll("\n", " ")
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")
    .replace(/(?<=\.) (?:(?!\. ).)*:$/, "")
    .replace(/:$/, ".");
}

import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { importGraph } from "../../scripts/import-graph.js";
import { entries, nodeEntries } from "./entries.js";

for (const [name, { types }] of Object.entries(entries)) {
  test(`the types of ${name} are ours alone, so that no dependency can break a user's compilation`, () => {
    const { packages } = importGraph(types);
    const isAllowed = (found: string) =>
      (nodeEntries.includes(name) && /^node:| ^node in /.test(found)) ||
      (name === "./emulator/vitest" && found.startsWith("vitest in "));
    expect(packages.filter((found) => !isAllowed(found))).toEqual([]);
  });

  test(`"go to definition" lands in the sources of ${name}, at the name`, () => {
    const landings = [...importGraph(types).files].flatMap(landingsOf);
    expect(landings).not.toEqual([]);
    expect(landings.filter(({ name, line }) => !new RegExp(`\\b${name}\\b`).test(line))).toEqual([]);
  });
}

/** Where an editor goes from each name that a file of types declares: the line of the source, which the package holds. */
function landingsOf(file: string): { file: string; name: string; line: string }[] {
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((text, row) => {
    const declared = /^export (?:declare )?(?:class|interface|type|function|const) (\w+)/d.exec(text);
    const [name = "", [column] = []] = [declared?.[1], declared?.indices?.[1]];
    if (column === undefined) return [];
    const entry = map.findEntry(row, column);
    if (!("originalLine" in entry)) return [{ file, name, line: "" }];
    const source = join(dirname(file), entry.originalSource);
    const isShipped = existsSync(source) && !/^src\/cli\/|^emulator\/dashboard\//.test(source);
    const line = isShipped ? readFileSync(source, "utf8").split("\n")[entry.originalLine] : "";
    return [{ file, name, line: line ?? "" }];
  });
}

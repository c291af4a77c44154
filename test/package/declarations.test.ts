import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { entries, nodeEntries } from "./entries.js";
import { importGraph } from "./import-graph.js";

for (const [name, { types }] of Object.entries(entries)) {
  test(`the types of ${name} are ours alone, so that no dependency can break a user's compilation`, () => {
    const { packages } = importGraph(types);
    const isAllowed = (found: string) =>
      (nodeEntries.includes(name) && /^node:| ^node in /.test(found)) ||
      (name === "./emulator/vitest" && found.startsWith("vitest in "));
    expect(packages.filter((found) => !isAllowed(found))).toEqual([]);
  });

  test(`"go to definition" lands in the sources of ${name}`, () => {
    for (const file of importGraph(types).files) {
      const { sources } = JSON.parse(readFileSync(`${file}.map`, "utf8"));
      expect(sources.map((source: string) => existsSync(join(dirname(file), source)))).toEqual([true]);
    }
  });
}

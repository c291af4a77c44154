/** Removes the declarations that no entry of the package leads to: what only the inside has is nobody's to import. */

import { globSync, readFileSync, rmSync } from "node:fs";
import { normalize } from "node:path";
import { importGraph } from "./import-graph.ts";

const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
const kept = new Set<string>();
for (const { types } of Object.values<{ types?: string }>(exports)) {
  if (types !== undefined) for (const file of importGraph(normalize(types)).files) kept.add(file);
}
for (const file of globSync("dist/types/**/*.d.ts")) {
  if (kept.has(file)) continue;
  rmSync(file);
  rmSync(`${file}.map`);
}

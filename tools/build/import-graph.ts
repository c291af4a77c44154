import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

/** All files and packages that a built file imports, directly or indirectly. */
export interface ImportGraph {
  files: Set<string>;
  /** Each as `specifier in file`. */
  packages: string[];
}

/** Walks imports, re-exports, `import()` and `/// <reference>`, of scripts or of declarations. */
export function importGraph(entry: string): ImportGraph {
  const graph: ImportGraph = { files: new Set(), packages: [] };
  const walk = (file: string) => {
    if (graph.files.has(file)) return;
    graph.files.add(file);
    const found = ts.preProcessFile(readFileSync(file, "utf8"), true, true);
    for (const { fileName } of found.typeReferenceDirectives) graph.packages.push(`${fileName} in ${file}`);
    for (const { fileName } of [...found.importedFiles, ...found.referencedFiles]) {
      if (fileName.startsWith(".")) walk(targetOf(file, fileName));
      else graph.packages.push(`${fileName} in ${file}`);
    }
  };
  walk(entry);
  return graph;
}

function targetOf(file: string, specifier: string): string {
  const path = join(dirname(file), specifier);
  const declaration = path.replace(/\.js$/, ".d.ts");
  return file.endsWith(".d.ts") && existsSync(declaration) ? declaration : path;
}

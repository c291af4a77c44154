/**
 * Writes the files for tools: `llms.txt`, an index of the guides in the order of the site, `openapi.json`, the service, and
 * `seed-file.schema.json`, the JSON Schema of seed files. The target is the package, or the directory in the first argument (the site), which also receives the guides themselves, and the examples to which they link.
 */

import { cpSync, globSync, writeFileSync } from "node:fs";
import { openApiDocument } from "../../emulator/openapi/document.js";
import { llmsIndex } from "./llms-index.js";
import { seedFileJsonSchema } from "./seed-file-schema.js";

const [directory = "."] = process.argv.slice(2);

writeFileSync(`${directory}/llms.txt`, llmsIndex());
writeFileSync(`${directory}/openapi.json`, `${JSON.stringify(openApiDocument(), null, 2)}\n`);
writeFileSync(`${directory}/seed-file.schema.json`, `${JSON.stringify(seedFileJsonSchema())}\n`);
if (directory !== ".")
  for (const page of [
    "README.md",
    "CONTRIBUTING.md",
    ...globSync(["docs/*.{md,svg}", "skills/**/*.md", "examples/**/*.*"]).filter(
      (path) => !path.includes("node_modules"),
    ),
  ])
    cpSync(page, `${directory}/${page}`);

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generateTypes } from "../../tools/openapi/programs.js";
import { fetchDocument } from "./support.js";

test("client.test.ts compiles with types that a public generator creates from the description", async () => {
  const folder = ".reports/openapi";
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/generated.ts`, await generateTypes(JSON.stringify(await fetchDocument())));
  const include = ["*", "../../test/openapi/client.test.ts", "../../emulator/**/*.d.ts"];
  writeFileSync(
    `${folder}/tsconfig.json`,
    JSON.stringify({ extends: "../../tsconfig.json", include, exclude: [] }),
  );
  const { status, stdout } = spawnSync("npx", ["tsc", "--project", folder], { encoding: "utf8" });
  expect([status, stdout]).toEqual([0, ""]);
});

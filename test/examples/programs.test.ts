import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

for (const example of globSync("examples/*.ts")) {
  test(`${example} runs to its end on the built package and says something`, () => {
    const folder = mkdtempSync(join(tmpdir(), "async-music-example-"));
    try {
      const said = execFileSync(process.execPath, [resolve(example)], { cwd: folder, encoding: "utf8" });
      expect(said.trim()).not.toBe("");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { createFolder } from "../support/folder.js";
import { environment } from "./support/environment.js";

test("the demo creates a song with the built package, and writes its path", async () => {
  const options = { cwd: await createFolder(), env: environment, encoding: "utf8" } as const;
  const output = execFileSync(process.execPath, [resolve("examples/demo.ts")], options);
  expect(output).toMatch(/songs\/rain-in-lisbon.*\.mp3\n/);
});

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { entries } from "./entries.js";

// Outside of a run of vitest there is no vitest to extend.
const loadable = Object.keys(entries).filter((name) => name !== "./emulator/vitest");

for (const name of loadable) {
  const specifier = name.replace(".", "async-music");

  test(`CommonJS code can require("${specifier}")`, () => {
    const names = run("commonjs", `console.log(JSON.stringify(Object.keys(require("${specifier}"))))`);
    expect(names).toEqual(
      run("module", `import * as all from "${specifier}"; console.log(JSON.stringify(Object.keys(all)))`),
    );
    expect(names.length).toBeGreaterThan(0);
  });
}

function run(type: "commonjs" | "module", script: string): string[] {
  return JSON.parse(
    execFileSync(process.execPath, [`--input-type=${type}`, "--eval", script], { encoding: "utf8" }),
  );
}

import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const linesOf = (file: string) => readFileSync(file, "utf8").split("\n");

test("a stack trace of the built scripts leads to the lines of the sources", () => {
  const code = `import("./dist/emulator.js").then(({ createEmulator }) => createEmulator({ credits: -1 }))
    .catch(({ stack }) => console.log(stack))`;
  const stack = execFileSync(process.execPath, ["--enable-source-maps", "-e", code], { encoding: "utf8" });
  const frames = [...stack.matchAll(/at (\w+) .*?\/((?:emulator|src)\/[\w/-]+\.ts):(\d+):\d+/g)];
  const lines = frames.map(([, name, file = "", line]) => [name, linesOf(file)[Number(line) - 1]?.trim()]);
  expect(lines).toEqual(
    expect.arrayContaining([
      ["parseOption", expect.stringContaining("throw new InvalidValueError(")],
      ["checkEmulatorOptions", expect.stringContaining("parseOption(")],
      ["createEmulator", expect.stringContaining("checkEmulatorOptions(")],
    ]),
  );
});

test("each declared name in the types leads to the same name in the sources", () => {
  const declaration =
    /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|function|const|type) (\w+)|^ {4}(?:readonly )?(\w+)\??[:(]/;
  let names = 0;
  for (const file of globSync("dist/types/**/*.d.ts")) {
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
    for (const [index, line] of linesOf(file).entries()) {
      const found = declaration.exec(line);
      const name = found?.[1] ?? found?.[2];
      if (found === null || name === undefined || ["new", "constructor"].includes(name)) continue;
      const column = line.indexOf(name, found[0].lastIndexOf(name));
      const entry = map.findEntry(index, column);
      if (!("originalSource" in entry)) throw new Error(`${file}:${index + 1} has no source for ${name}.`);
      const source = linesOf(join(dirname(file), entry.originalSource))[entry.originalLine] ?? "";
      expect([file, source.slice(entry.originalColumn).match(/^\w+/)?.[0]]).toEqual([file, name]);
      names++;
    }
  }
  expect(names).toBeGreaterThan(500);
});

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { importGraph } from "../../tools/build/import-graph.js";
import { entries, nodeEntries } from "./entries.js";

describe.each(Object.entries(entries))("%s", (name, { types }) => {
  test("has types that import no dependency, so that none can break a user's compilation", () => {
    const { packages } = importGraph(types);
    const isAllowed = (found: string) =>
      (nodeEntries.includes(name) && /^node:| ^node in /.test(found)) ||
      (name === "./emulator/vitest" && found.startsWith("vitest in "));
    expect(packages.filter((found) => !isAllowed(found))).toEqual([]);
  });

  test('has type maps by which "go to definition" opens the source of each name', () => {
    const landings = [...importGraph(types).files].flatMap(landingsOf);
    expect(landings).not.toEqual([]);
    expect(landings.filter(({ name, line }) => !new RegExp(`\\b${name}\\b`).test(line))).toEqual([]);
  });

  test("has a docstring for each class and each constant, also in CommonJS", () => {
    const text = readFileSync(types.replace(/\.d\.ts$/, ".d.cts"), "utf8");
    const undocumented = text.matchAll(/(?<!\*\/\n)^export declare const ([A-Z]\w+): /gm);
    expect([...undocumented].map(([, value]) => value)).toEqual([]);
  });

  // Outside of a test run, there is no Vitest to extend.
  test.skipIf(name === "./emulator/vitest")("can be loaded with require", () => {
    const specifier = JSON.stringify(name.replace(".", "async-music"));
    const names = run("commonjs", `console.log(JSON.stringify(Object.keys(require(${specifier}))))`);
    const esm = `import * as all from ${specifier}; console.log(JSON.stringify(Object.keys(all)))`;
    expect(names).toEqual(run("module", esm));
    expect(names.length).toBeGreaterThan(0);
  });
});

test("the classes have the names of their exports", () => {
  const script = `
    import * as main from "async-music"; import * as node from "async-music/node";
    const classes = Object.entries({ ...main, ...node }).filter(([, value]) => /^class\\b/.test(String(value)));
    console.log(JSON.stringify([classes.map(([name]) => name).join(), classes.map(([, { name }]) => name).join()]));`;
  const [exported, names = ""] = run("module", script);
  expect(names).toEqual(exported);
  expect(names.split(",").length).toBeGreaterThan(20);
});

/** The source line, in the package, that an editor opens for each name that a file of types declares. */
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

function run(type: "commonjs" | "module", script: string): string[] {
  return JSON.parse(
    execFileSync(process.execPath, [`--input-type=${type}`, "--eval", script], { encoding: "utf8" }),
  );
}

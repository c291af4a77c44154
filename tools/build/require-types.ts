/**
 * Writes a `.d.cts` beside the types of each entry. Under `node16`, and in TypeScript 5.7, a CommonJS file cannot import the
 * types of an ES module (TS1479), although Node can require the module. A `.d.cts` re-exports the types of the `.d.ts`, and
 * declares each value with its type in the `.d.ts`, so that a class is the same class for both kinds of files. A class or a
 * constant also has its docstring.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import ts from "typescript";

const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
const entries = Object.values<{
  "types@>=5.7"?: { require: string };
  types: string;
  default: string;
}>(exports).flatMap(({ "types@>=5.7": forCommonJs, types, default: script }) =>
  forCommonJs === undefined ? [] : [{ commonJs: forCommonJs.require, types, script }],
);
const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  types: ["node"],
};
const program = ts.createProgram(
  entries.map(({ types }) => types),
  options,
);
const checker = program.getTypeChecker();

for (const { commonJs, types, script } of entries) {
  const values = valuesOf(script);
  const symbols = exportsOf(types).filter(({ name }) => values.has(name));
  const module = `"./${basename(types).replace(/\.d\.ts$/, ".js")}" with { "resolution-mode": "import" }`;
  const lines = [
    `import type * as esm from ${module};`,
    `export type * from ${module};`,
    ...symbols.flatMap(declarationsOf),
  ];
  writeFileSync(commonJs, `${lines.join("\n")}\n`);
}

/** The names that a built script exports. */
function valuesOf(script: string): ReadonlySet<string> {
  const { statements } = ts.createSourceFile(script, readFileSync(script, "utf8"), ts.ScriptTarget.Latest);
  const clauses = statements.flatMap((statement) =>
    ts.isExportDeclaration(statement) && statement.exportClause ? [statement.exportClause] : [],
  );
  return new Set(
    clauses
      .filter(ts.isNamedExports)
      .flatMap(({ elements }) => elements)
      .map(({ name }) => name.text),
  );
}

function exportsOf(file: string): ts.Symbol[] {
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} is not a module.`);
  return checker.getExportsOfModule(module);
}

function declarationsOf(symbol: ts.Symbol): string[] {
  const { name } = symbol;
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const isType = (target.flags & ts.SymbolFlags.Type) !== 0;
  if (isType && target.declarations?.some(isGeneric))
    throw new Error(`${name} has type parameters, which its type for CommonJS would lose.`);
  return [
    ...docstringOf(target),
    `export declare const ${name}: typeof esm.${name};`,
    ...(isType ? [`export type ${name} = esm.${name};`] : []),
  ];
}

/** The docstring of a class or a constant. Editors find that of a function by its type. */
function docstringOf({ declarations: [declaration] = [] }: ts.Symbol): string[] {
  if (declaration === undefined || ts.isFunctionDeclaration(declaration)) return [];
  const docstrings = ts.getJSDocCommentsAndTags(declaration);
  return docstrings.slice(0, 1).map((docstring) => docstring.getText());
}

function isGeneric(declaration: ts.Declaration): boolean {
  return ts.isClassDeclaration(declaration) && declaration.typeParameters !== undefined;
}

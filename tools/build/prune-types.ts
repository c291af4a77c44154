/**
 * Removes every declaration that no entry of the package needs, so that its types name nothing internal and no
 * dependency. Line numbers stay the same for the declaration maps, which keep the positions of declared names alone: these
 * are what "go to definition" follows to the sources.
 */

import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import ts from "typescript";

interface Module {
  source: ts.SourceFile;
  /** The statements, and the names in imports and re-exports, that an entry needs. */
  kept: Set<ts.Node>;
}

const modules = new Map<string, Module>();
const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
for (const { types } of Object.values<{ types?: string }>(exports)) {
  if (types === undefined) continue;
  const file = normalize(types);
  for (const name of exportedNames(file)) need(file, name);
}
for (const file of globSync("dist/types/**/*.d.ts")) {
  const module = modules.get(file);
  if (module !== undefined) {
    writeFileSync(file, textOf(module));
    writeFileSync(`${file}.map`, mapOf(file, module));
    continue;
  }
  rmSync(file);
  rmSync(`${file}.map`);
}

function moduleOf(file: string): Module {
  let module = modules.get(file);
  if (module === undefined) {
    const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
    module = { source, kept: new Set() };
    modules.set(file, module);
  }
  return module;
}

function exportedNames(file: string): string[] {
  return moduleOf(file).source.statements.flatMap((statement) => {
    const all = targetOfExportAll(file, statement);
    if (all !== null) return exportedNames(all);
    if (ts.isExportDeclaration(statement)) return specifiersOf(statement).map(({ name }) => name.text);
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    const isExported = modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return isExported ? declaredNames(statement) : [];
  });
}

/** The module of an `export * from`. */
function targetOfExportAll(file: string, statement: ts.Statement): string | null {
  if (!ts.isExportDeclaration(statement) || statement.exportClause !== undefined) return null;
  return targetOf(file, statement.moduleSpecifier);
}

/** `null` for a package. */
function targetOf(file: string, specifier: ts.Node | undefined): string | null {
  const text = specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : "";
  return text.startsWith(".") ? join(dirname(file), text.replace(/\.js$/, ".d.ts")) : null;
}

function declaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = statement as ts.DeclarationStatement;
  return name === undefined ? [] : [name.text];
}

function specifiersOf(statement: ts.Statement): readonly (ts.ImportSpecifier | ts.ExportSpecifier)[] {
  if (ts.isImportDeclaration(statement)) {
    const bindings = statement.importClause?.namedBindings;
    return bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : [];
  }
  const clause = ts.isExportDeclaration(statement) ? statement.exportClause : undefined;
  return clause !== undefined && ts.isNamedExports(clause) ? clause.elements : [];
}

/** Keeps what a module calls by this name, and everything that it refers to. */
function need(file: string, name: string): void {
  const { source, kept } = moduleOf(file);
  for (const statement of source.statements) {
    const all = targetOfExportAll(file, statement);
    if (all !== null && exportedNames(all).includes(name)) {
      kept.add(statement);
      need(all, name);
    }
    if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) {
      if (isNamespaceImport(statement, name)) kept.add(statement);
      for (const specifier of specifiersOf(statement)) {
        if (specifier.name.text !== name || kept.has(specifier)) continue;
        kept.add(statement).add(specifier);
        const { text } = specifier.propertyName ?? specifier.name;
        const target =
          statement.moduleSpecifier === undefined ? file : targetOf(file, statement.moduleSpecifier);
        if (target !== null) need(target, text);
      }
    } else if (declaredNames(statement).includes(name) && !kept.has(statement)) {
      kept.add(statement);
      needReferences(file, statement);
    }
  }
}

function isNamespaceImport(statement: ts.ImportDeclaration | ts.ExportDeclaration, name: string): boolean {
  if (!ts.isImportDeclaration(statement)) return false;
  const bindings = statement.importClause?.namedBindings;
  return bindings !== undefined && ts.isNamespaceImport(bindings) && bindings.name.text === name;
}

function needReferences(file: string, node: ts.Node): void {
  if (ts.isTypeReferenceNode(node)) need(file, firstName(node.typeName));
  else if (ts.isTypeQueryNode(node) && !ts.isImportTypeNode(node.exprName))
    need(file, firstName(node.exprName));
  else if (ts.isExpressionWithTypeArguments(node)) need(file, node.expression.getText().replace(/\..*/s, ""));
  else if (ts.isComputedPropertyName(node)) need(file, node.expression.getText().replace(/\..*/s, ""));
  else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && node.qualifier !== undefined)
    needImported(file, node.argument.literal, node.qualifier);
  ts.forEachChild(node, (child) => needReferences(file, child));
}

function needImported(file: string, specifier: ts.Node, name: ts.EntityName): void {
  const target = targetOf(file, specifier);
  if (target !== null) need(target, firstName(name));
}

function firstName(name: ts.EntityName): string {
  return ts.isIdentifier(name) ? name.text : firstName(name.left);
}

function textOf({ source, kept }: Module): string {
  let text = source.text;
  for (const statement of source.statements.toReversed()) {
    const [start, end] = [statement.getStart(source, true), statement.end];
    text = text.slice(0, start) + keptText(statement, kept, text.slice(start, end)) + text.slice(end);
  }
  return text;
}

/** The part of a statement that is kept, on as many lines as the statement. */
function keptText(statement: ts.Statement, kept: ReadonlySet<ts.Node>, text: string): string {
  const lines = "\n".repeat(text.split("\n").length - 1);
  const isEmptyExport = ts.isExportDeclaration(statement) && specifiersOf(statement).length === 0;
  if (!kept.has(statement) && !isEmptyExport) return lines;
  const specifiers = specifiersOf(statement);
  const used = specifiers.filter((specifier) => kept.has(specifier));
  if (used.length === specifiers.length) return text;
  return `${text.replace(/\{[^}]*\}/, `{ ${used.map((each) => each.getText()).join(", ")} }`).replaceAll("\n", " ")}${lines}`;
}

function mapOf(file: string, module: Module): string {
  const map = JSON.parse(readFileSync(`${file}.map`, "utf8"));
  const names = declaredPositions(module);
  const mappings = decode(map.mappings).map((segments, line) =>
    segments.filter(([column]) => names.has(`${line}:${column}`)),
  );
  return JSON.stringify({ ...map, mappings: encode(mappings) });
}

/** The line and the column of each name that a kept statement declares. */
function declaredPositions({ source, kept }: Module): ReadonlySet<string> {
  const positions = new Set<string>();
  const walk = (node: ts.Node) => {
    const { name } = node as ts.NamedDeclaration;
    if (name !== undefined) {
      const { line, character } = source.getLineAndCharacterOfPosition(name.getStart(source));
      positions.add(`${line}:${character}`);
    }
    ts.forEachChild(node, walk);
  };
  for (const statement of source.statements)
    if (kept.has(statement) && !ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement))
      walk(statement);
  return positions;
}

import { existsSync, readFileSync } from "node:fs";
import ts from "typescript";

const known = new Map<string, ReadonlyMap<string, string>>();

/**
 * Returns the titles in a file of tests, scenarios or table rows, each with the titles of its groups. Returns none if
 * the file does not exist.
 */
export function titlesIn(path: string): ReadonlyMap<string, string> {
  const titles = known.get(path) ?? readTitles(path);
  known.set(path, titles);
  return titles;
}

function readTitles(path: string): Map<string, string> {
  const titles = new Map<string, string>();
  const file = [`test/${path}.test.ts`, `test/${path}.ts`].find((each) => existsSync(each));
  if (file === undefined) return titles;
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const { title, isGroup } = titleOf(node);
    const full = title !== undefined && ts.isStringLiteralLike(title) ? [...groups, title.text] : groups;
    const last = full.at(-1);
    if (full !== groups && last !== undefined && !titles.has(last)) titles.set(last, full.join(" › "));
    ts.forEachChild(node, (child) => visit(child, isGroup ? full : groups));
  };
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2023, true), []);
  return titles;
}

/** The position of a title: first in a call of a test or a group, first in a row, or as a row's name. */
function titleOf(node: ts.Node): { title: ts.Node | undefined; isGroup: boolean } {
  if (ts.isCallExpression(node)) {
    const called = nameOfCall(node.expression);
    const isTest = called === "test" || called === "it" || called === "describe";
    return { title: isTest ? node.arguments[0] : undefined, isGroup: called === "describe" };
  }
  if (ts.isArrayLiteralExpression(node)) return { title: node.elements[0], isGroup: false };
  const isName = ts.isPropertyAssignment(node) && node.name.getText() === "name";
  return { title: isName ? node.initializer : undefined, isGroup: false };
}

/** `test`, `it` or `describe`, also with `each`. */
function nameOfCall(called: ts.Expression): string | undefined {
  if (ts.isIdentifier(called)) return called.text;
  if (ts.isCallExpression(called)) return nameOfCall(called.expression);
  return ts.isPropertyAccessExpression(called) && called.name.text === "each"
    ? nameOfCall(called.expression)
    : undefined;
}

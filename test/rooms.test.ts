import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const contract = ["src/contract"];
const core = [...contract, "src/errors", "src/clock"];
const exchange = [...core, "src/random", "src/transport", "src/pacer"];
const client = [
  ...exchange,
  "src/environment.ts",
  "src/tasks",
  "src/account",
  "src/audio",
  "src/client-options.ts",
];
const anyEmulatorRoom = [...contract, "emulator/*"];

/** A room is a folder or a file. Behind each stands what it may import, besides itself. */
const arrows: Record<string, readonly string[]> = {
  "src/contract": [],
  "src/clock": [],
  "src/random": [],
  "src/environment.ts": [],
  "src/errors": contract,
  "src/pacer": core,
  "src/transport": [...core, "src/random", "src/pacer"],
  "src/tasks": exchange,
  "src/account": [...contract, "src/transport"],
  "src/audio": [...core, "src/transport"],
  "src/client-options.ts": [...exchange, "src/environment.ts"],
  "src/client.ts": client,
  "src/index.ts": [...client, "src/client.ts"],
  "src/node": [...contract, "src/errors", "src/audio", "src/tasks"],
  "src/cli": ["src/*", "emulator/*"],

  "emulator/accounts": anyEmulatorRoom,
  "emulator/api": anyEmulatorRoom,
  "emulator/audio": anyEmulatorRoom,
  "emulator/audit": anyEmulatorRoom,
  "emulator/clock": anyEmulatorRoom,
  "emulator/control": anyEmulatorRoom,
  "emulator/create-emulator.ts": anyEmulatorRoom,
  "emulator/delivery": anyEmulatorRoom,
  "emulator/emulator-options.ts": anyEmulatorRoom,
  "emulator/emulator.ts": anyEmulatorRoom,
  "emulator/faults": anyEmulatorRoom,
  "emulator/index.ts": anyEmulatorRoom,
  "emulator/invariant.ts": [],
  "emulator/ledger": anyEmulatorRoom,
  "emulator/limits": anyEmulatorRoom,
  "emulator/log": anyEmulatorRoom,
  "emulator/mounts": anyEmulatorRoom,
  "emulator/msw.ts": anyEmulatorRoom,
  "emulator/node": anyEmulatorRoom,
  "emulator/node.ts": anyEmulatorRoom,
  "emulator/options": anyEmulatorRoom,
  "emulator/policy": anyEmulatorRoom,
  "emulator/providers": anyEmulatorRoom,
  "emulator/random": anyEmulatorRoom,
  "emulator/state": anyEmulatorRoom,
  "emulator/stored": anyEmulatorRoom,
  "emulator/tasks": anyEmulatorRoom,
};

/** Which rooms may import a package. */
const packages: Record<string, readonly string[]> = {
  ky: ["src/transport", "src/audio"],
  "zod/mini": ["src/contract", "emulator/*"],
  mediabunny: ["emulator/audio"],
  "@mediabunny/mp3-encoder": ["emulator/audio"],
  msw: ["emulator/msw.ts"],
  commander: ["src/cli"],
  "node:": ["src/node", "src/cli", "emulator/node.ts", "emulator/node"],
};

const sources = globSync("{src,emulator}/**/*.ts").map((path) => path.replaceAll("\\", "/"));
const imports = sources.flatMap(importsOf);

test("every source file is in a room of the table", () => {
  expect(sources.filter((file) => arrows[roomOf(file)] === undefined)).toEqual([]);
});

test("a room imports only the rooms that the table allows it", () => {
  const undeclared = imports
    .filter(({ specifier }) => specifier.startsWith("."))
    .map(({ file, specifier }) => ({ file, target: resolve(file, specifier) }))
    .filter(({ file, target }) => roomOf(file) !== roomOf(target))
    .filter(({ file, target }) => !matches(arrows[roomOf(file)], roomOf(target)))
    .map(({ file, target }) => `${roomOf(file)} -> ${roomOf(target)}: ${file} imports ${target}`);
  expect(undeclared).toEqual([]);
});

test("a package is imported only by the rooms that may know it", () => {
  const undeclared = imports
    .filter(({ specifier }) => !specifier.startsWith("."))
    .filter(({ file, specifier }) => !matches(packages[packageOf(specifier)], roomOf(file)))
    .map(({ file, specifier }) => `${roomOf(file)} -> ${specifier}: in ${file}`);
  expect(undeclared).toEqual([]);
});

test("no files import each other in a circle", () => {
  // An `import type` leaves nothing behind to run, and so no order in which it could go wrong.
  const run = imports.filter(({ specifier, typeOnly }) => specifier.startsWith(".") && !typeOnly);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (path.includes(file) || done.has(file)) return;
    for (const { specifier } of run.filter((each) => each.file === file)) {
      visit(resolve(file, specifier), [...path, file]);
    }
    done.add(file);
  };
  for (const file of sources) visit(file, []);
  expect(circles).toEqual([]);
});

interface Import {
  file: string;
  specifier: string;
  typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const add = (name: ts.Node | undefined, typeOnly: boolean) => {
    if (name && ts.isStringLiteralLike(name)) found.push({ file, specifier: name.text, typeOnly });
  };
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2023));
  return found;
}

function resolve(file: string, specifier: string): string {
  return join(dirname(file), specifier).replaceAll("\\", "/").replace(/\.js$/, ".ts");
}

/** The folder below `src` or `emulator`, or the file that stands beside the folders. */
function roomOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}

function packageOf(specifier: string): string {
  if (specifier.startsWith("node:")) return "node:";
  if (Object.hasOwn(packages, specifier)) return specifier;
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function matches(allowed: readonly string[] = [], room: string): boolean {
  return allowed.some((name) => name === room || (name.endsWith("/*") && room.startsWith(name.slice(0, -1))));
}

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

/**
 * A room is a folder or a file. Behind each stands what it may import besides itself, types included: rooms of its own
 * side by their name, of the other side by their path. Whoever imports stands below what it imports, so that all
 * arrows run one way.
 */
const arrows = {
  ...roomsBelow("src", {
    contract: "",
    clock: "",
    random: "",
    "environment.ts": "",
    errors: "contract",
    telemetry: "contract errors",
    pacer: "contract clock",
    transport: "contract clock random environment.ts errors telemetry pacer",
    account: "contract transport",
    journal: "contract clock random errors transport",
    tasks: "contract clock random errors telemetry pacer transport account journal",
    audio: "contract clock errors transport",
    "client-options.ts": "contract clock random environment.ts errors telemetry pacer transport",
    "client.ts": "contract clock telemetry pacer transport tasks account audio client-options.ts",
    "index.ts":
      "contract clock random errors telemetry pacer transport account journal tasks audio client-options.ts client.ts",
    node: "errors transport journal audio",
    redis: "contract clock random errors pacer transport journal",
  }),
  ...roomsBelow("emulator", {
    // What knows nothing of the service.
    "invariant.ts": "",
    clock: "",
    random: "",
    options: "",
    log: "",
    audio: "",

    // The rules, each of which sees its own part of the state.
    ledger: "invariant.ts options",
    limits: "src/contract options",
    policy: "src/contract random options",
    faults: "random options",
    payments: "invariant.ts clock random options ledger policy",
    accounts: "src/contract random ledger limits payments",
    providers: "src/contract invariant.ts random options audio",
    stored: "src/contract audio providers",
    audit: "src/contract random stored",
    delivery: "src/contract invariant.ts clock audio providers stored",
    openapi: "src/contract",

    // The whole state, and who changes it.
    state: `src/contract invariant.ts clock options log audio
      ledger limits policy faults payments accounts providers stored audit delivery`,
    tasks: "src/contract invariant.ts random ledger policy payments accounts providers stored state",
    control: "src/contract clock options ledger faults payments accounts providers state tasks",
    api: `src/contract invariant.ts clock random log audio
      ledger limits policy faults accounts providers stored audit delivery openapi state tasks`,

    // What looks on from outside: the page shares the tables of constants, and asks for everything else.
    dashboard: "src/contract policy",

    // The ways in.
    mounts: "state api",
    fixtures: "src/contract log faults audit state",
    "emulator-state.ts": "src/contract clock limits policy state control api",
    "emulator.ts": "src/contract clock log limits policy audit state control emulator-state.ts",
    "emulator-options.ts": "src/contract clock options state api",
    "control-plane": `src/contract clock random options log
      ledger limits policy faults payments accounts providers stored audit state tasks control api mounts
      emulator-state.ts emulator.ts`,
    "create-emulator.ts": `clock random options limits policy state control api mounts
      emulator-state.ts emulator.ts emulator-options.ts control-plane`,
    "msw.ts": "mounts emulator.ts",
    node: "src/contract clock options state api mounts emulator.ts",
    "node.ts": "node",
    "index.ts": `clock log limits policy faults payments providers audit state control
      emulator-state.ts emulator.ts emulator-options.ts create-emulator.ts`,
  }),

  // Where the two sides meet: what runs a service for a client.
  ...roomsBelow("src", {
    cli: "contract transport tasks client-options.ts index.ts node emulator/index.ts emulator/node.ts",
  }),
  ...roomsBelow("emulator", {
    "vitest.ts": `src/client.ts
      invariant.ts fixtures audit state mounts emulator.ts emulator-options.ts create-emulator.ts`,
  }),
};

/** Which rooms may import a package. */
const packages: Record<string, readonly string[]> = {
  ky: ["src/transport", "src/audio"],
  "zod/mini": ["src/contract", "emulator/*"],
  mediabunny: ["emulator/audio"],
  "@mediabunny/mp3-encoder": ["emulator/audio"],
  "@mediabunny/flac-encoder": ["emulator/audio"],
  "@cantoo/pdf-lib": ["emulator/payments"],
  msw: ["emulator/msw.ts"],
  vitest: ["emulator/vitest.ts"],
  "rate-limiter-flexible": ["src/redis"],
  commander: ["src/cli"],
  preact: ["emulator/dashboard"],
  "@preact/signals": ["emulator/dashboard"],
  "@tanstack/virtual-core": ["emulator/dashboard"],
  "openapi-fetch": ["emulator/dashboard"],
  uplot: ["emulator/dashboard"],
  "node:": ["src/node", "src/cli", "emulator/node.ts", "emulator/node"],
};

const sources = globSync("{src,emulator}/**/*.{ts,tsx}").map((path) => path.replaceAll("\\", "/"));
const imports = sources.flatMap(importsOf);
const inside = imports
  .filter(({ specifier }) => specifier.startsWith("."))
  .map(({ file, specifier }) => ({ file, target: resolve(file, specifier) }));

test("every source file is in a room of the table, and every room has files", () => {
  expect([...new Set(sources.map(roomOf))].sort()).toEqual(Object.keys(arrows).sort());
});

test("a room imports only the rooms that the table allows it", () => {
  const undeclared = inside
    .filter(({ file, target }) => roomOf(file) !== roomOf(target))
    .filter(({ file, target }) => !arrows[roomOf(file)]?.includes(roomOf(target)))
    .map(({ file, target }) => `${roomOf(file)} -> ${roomOf(target)}: ${file} imports ${target}`);
  expect(undeclared).toEqual([]);
});

test("the table allows no room what it does not need", () => {
  const taken = new Set(inside.map(({ file, target }) => `${roomOf(file)} -> ${roomOf(target)}`));
  const allowed = Object.entries(arrows).flatMap(([room, targets]) =>
    targets.map((target) => `${room} -> ${target}`),
  );
  expect(allowed.filter((arrow) => !taken.has(arrow))).toEqual([]);
});

test("all arrows between rooms run one way: up the table", () => {
  const rooms = Object.keys(arrows);
  const down = Object.entries(arrows).flatMap(([room, targets], place) =>
    targets.filter((target) => rooms.indexOf(target) >= place).map((target) => `${room} -> ${target}`),
  );
  expect(down).toEqual([]);
});

test("CONTRIBUTING.md draws every room once, below what it imports", () => {
  const drawing = readFileSync("CONTRIBUTING.md", "utf8").match(/^```text rooms\n([\s\S]*?)^```/m)?.[1] ?? "";
  let side = "";
  const lines = drawing.split("\n").map((line) => {
    const names = line.replace(/\|.*/, "").match(/\S+/g) ?? [];
    const [heading = ""] = names.filter((name) => name.endsWith("/"));
    if (heading !== "") side = heading;
    return names.filter((name) => name !== heading).map((name) => (name.includes("/") ? name : side + name));
  });
  expect(lines.flat().sort()).toEqual(Object.keys(arrows).sort());
  const lineOf = (room: string) => lines.findIndex((rooms) => rooms.includes(room));
  const upwards = ([room, targets]: [string, readonly string[]]) =>
    targets.filter((target) => lineOf(target) >= lineOf(room)).map((target) => `${room} -> ${target}`);
  expect(Object.entries(arrows).flatMap(upwards)).toEqual([]);
});

test("every file that CONTRIBUTING.md names is there", () => {
  const names = [...readFileSync("CONTRIBUTING.md", "utf8").matchAll(/`([\w./-]+\.tsx?)`/g)].map(
    ([, name]) => name,
  );
  const files = globSync("{*.ts,{src,emulator,test,scripts}/**/*.{ts,tsx}}").map((path) => `/${path}`);
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
});

test("a package is imported only by the rooms that may know it", () => {
  const undeclared = imports
    .filter(({ specifier }) => !specifier.startsWith("."))
    .filter(({ file, specifier }) => !matches(packages[packageOf(specifier)], roomOf(file)))
    .map(({ file, specifier }) => `${roomOf(file)} -> ${specifier}: in ${file}`);
  expect(undeclared).toEqual([]);
});

test("no files import each other in a circle, not even types", () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (path.includes(file) || done.has(file)) return;
    for (const { target } of inside.filter((each) => each.file === file)) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of sources) visit(file, []);
  expect(circles).toEqual([]);
});

function roomsBelow(side: string, rooms: Record<string, string>): Record<string, readonly string[]> {
  const pathOf = (room: string) => (room.includes("/") ? room : `${side}/${room}`);
  return Object.fromEntries(
    Object.entries(rooms).map(([room, targets]) => [pathOf(room), targets.match(/\S+/g)?.map(pathOf) ?? []]),
  );
}

interface Import {
  file: string;
  specifier: string;
}

function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const add = (name: ts.Node | undefined) => {
    if (name && ts.isStringLiteralLike(name)) found.push({ file, specifier: name.text });
  };
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0]);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2023));
  return found;
}

function resolve(file: string, specifier: string): string {
  const script = join(dirname(file), specifier).replaceAll("\\", "/");
  const page = script.replace(/\.js$/, ".tsx");
  return existsSync(page) ? page : script.replace(/\.js$/, ".ts");
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

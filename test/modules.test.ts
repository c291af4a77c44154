import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

/**
 * The modules, and which others each may import, types included. A module is a folder of `src/` or `emulator/`, the
 * files beside the SDK's folders, one file beside the emulator's, or all of `cli/`. Modules of another side are named by their path.
 * All arrows run one way: up.
 */
const arrows = {
  ...modulesBelow("src", {
    contract: "",
    time: "",
    errors: "contract",
    "rate-limit": "contract time",
    http: "contract time errors rate-limit",
    journal: "contract time errors",
    budget: "contract time errors journal",
    follow: "contract time errors journal",
    tasks: "contract time errors rate-limit http journal budget follow",
    audio: "contract time errors http",
    "*.ts": "contract time errors rate-limit http journal budget tasks audio",
    node: "contract errors journal audio",
    databases: "contract time errors rate-limit journal budget",
    opentelemetry: "contract time errors http *.ts",
  }),
  ...modulesBelow("emulator", {
    time: "src/time",
    audio: "time",
    openapi: "src/contract",
    future: "src/contract time audio",
    core: "src/contract time audio future",
    http: "src/contract time audio openapi core",
    control: "src/contract time core http future",
    // The page shares constants and the types of the control plane.
    dashboard: "src/contract core control",
    worlds: "src/contract src/time src/journal src/tasks src/audio time core control future",
    adapters: "time core http control",
    "msw.ts": "http control",
    "node.ts": "adapters",
    "index.ts": "src/contract time core control future",
  }),

  // Where the two sides meet.
  ...modulesBelow("emulator", {
    "vitest.ts": "src/*.ts core control",
  }),
  ...modulesBelow("cli", {
    "**": "src/contract src/time src/errors src/rate-limit src/journal src/audio src/budget src/follow src/databases src/*.ts src/node emulator/core emulator/index.ts emulator/node.ts",
  }),
};

/** The modules that may import a package. */
const packages: Record<string, readonly string[]> = {
  ky: ["src/audio"],
  "zod/mini": ["src/contract", "cli/**", "emulator/*"],
  "@opentelemetry/api": ["src/opentelemetry"],
  msw: ["emulator/msw.ts"],
  vitest: ["emulator/vitest.ts"],
  "bidi-js": ["emulator/core"],
  "@fontsource/open-sans": ["emulator/core"],
  "@fontsource/rubik": ["emulator/core"],
  commander: ["cli/**"],
  "csv-parse": ["cli/**"],
  "@modelcontextprotocol/sdk": ["cli/**"],
  ioredis: ["cli/**"],
  pg: ["cli/**"],
  redis: ["cli/**"],
  preact: ["emulator/dashboard"],
  "@preact/signals": ["emulator/dashboard"],
  uplot: ["emulator/dashboard"],
  "node:": ["src/node", "cli/**", "emulator/adapters"],
};

const sources = globSync("{src,emulator,cli}/**/*.{ts,tsx}").map((path) => path.replaceAll("\\", "/"));
const imports = sources.flatMap(importsOf);
const inside = imports
  .filter(({ specifier }) => specifier.startsWith("."))
  .map(({ file, specifier }) => ({ file, target: resolve(file, specifier) }));

test("every source file is in a module of the table, and every module has files", () => {
  expect([...new Set(sources.map(moduleOf))].sort()).toEqual(Object.keys(arrows).sort());
});

test("a module imports only the modules that the table allows it", () => {
  const undeclared = inside
    .filter(({ file, target }) => moduleOf(file) !== moduleOf(target))
    .filter(({ file, target }) => !arrows[moduleOf(file)]?.includes(moduleOf(target)))
    .map(({ file, target }) => `${moduleOf(file)} -> ${moduleOf(target)}: ${file} imports ${target}`);
  expect(undeclared).toEqual([]);
});

test("the table allows only imports that a module needs", () => {
  const taken = new Set(inside.map(({ file, target }) => `${moduleOf(file)} -> ${moduleOf(target)}`));
  const allowed = Object.entries(arrows).flatMap(([module, targets]) =>
    targets.map((target) => `${module} -> ${target}`),
  );
  expect(allowed.filter((arrow) => !taken.has(arrow))).toEqual([]);
});

test("all arrows between modules run one way: up the table", () => {
  const modules = Object.keys(arrows);
  const down = Object.entries(arrows).flatMap(([module, targets], place) =>
    targets.filter((target) => modules.indexOf(target) >= place).map((target) => `${module} -> ${target}`),
  );
  expect(down).toEqual([]);
});

test("CONTRIBUTING.md draws every module once, below what it imports", () => {
  const drawing =
    readFileSync("CONTRIBUTING.md", "utf8").match(/^```text modules\n([\s\S]*?)^```/m)?.[1] ?? "";
  let side = "";
  const lines = drawing.split("\n").map((line) => {
    const names = line.replace(/\|.*/, "").match(/\S+/g) ?? [];
    const [heading = ""] = names.filter((name) => name.endsWith("/"));
    if (heading !== "") side = heading;
    return names.filter((name) => name !== heading).map((name) => (name.includes("/") ? name : side + name));
  });
  expect(lines.flat().sort()).toEqual(Object.keys(arrows).sort());
  const lineOf = (module: string) => lines.findIndex((modules) => modules.includes(module));
  const upwards = ([module, targets]: [string, readonly string[]]) =>
    targets.filter((target) => lineOf(target) >= lineOf(module)).map((target) => `${module} -> ${target}`);
  expect(Object.entries(arrows).flatMap(upwards)).toEqual([]);
});

test("a package is imported only by the modules that the table lists for it", () => {
  const undeclared = imports
    .filter(({ specifier }) => !specifier.startsWith("."))
    .filter(({ file, specifier }) => !matches(packages[packageOf(specifier)], moduleOf(file)))
    .map(({ file, specifier }) => `${moduleOf(file)} -> ${specifier}: in ${file}`);
  expect(undeclared).toEqual([]);
});

test("files do not import each other in a cycle, types included", () => {
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

function modulesBelow(side: string, modules: Record<string, string>): Record<string, readonly string[]> {
  const pathOf = (module: string) => (module.includes("/") ? module : `${side}/${module}`);
  return Object.fromEntries(
    Object.entries(modules).map(([module, targets]) => [
      pathOf(module),
      targets.match(/\S+/g)?.map(pathOf) ?? [],
    ]),
  );
}

/** The modules that a file imports, its types and dynamic imports included. */
function importsOf(file: string): { file: string; specifier: string }[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"));
  return importedFiles.map(({ fileName }) => ({ file, specifier: fileName }));
}

function resolve(file: string, specifier: string): string {
  const script = join(dirname(file), specifier).replaceAll("\\", "/");
  const page = script.replace(/\.js$/, ".tsx");
  return existsSync(page) ? page : script.replace(/\.js$/, ".ts");
}

function moduleOf(file: string): string {
  return file
    .replace(/^src\/[^/]+$/, "src/*.ts")
    .replace(/^cli\/.+$/, "cli/**")
    .split("/")
    .slice(0, 2)
    .join("/");
}

function packageOf(specifier: string): string {
  if (specifier.startsWith("node:")) return "node:";
  if (Object.hasOwn(packages, specifier)) return specifier;
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function matches(allowed: readonly string[] = [], module: string): boolean {
  return allowed.some(
    (name) => name === module || (name.endsWith("/*") && module.startsWith(name.slice(0, -1))),
  );
}

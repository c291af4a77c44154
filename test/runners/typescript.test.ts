import { execFile } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { installNodeTypes, installTarball, pack } from "../package/install.js";
import { folderOfFile } from "../support/folder.js";

const modules = {
  node16: { module: "node16" },
  nodenext: { module: "nodenext" },
  bundler: { module: "preserve", moduleResolution: "bundler" },
};

/** Compiled together: each file finds the types of its own format. */
const FILES = ["main.mts", "main.cts"];

const page = readFileSync("docs/runtimes.md", "utf8");
const [, shown = ""] = /^## TypeScript$[\s\S]*?^```json\n([\s\S]*?)^```$/m.exec(page) ?? [];

type Setting = keyof typeof modules;

/** The versions that are supported: the oldest release of the first one, and a release of each later one. */
const COMBINATIONS: [versions: string[], settings: Setting[]][] = [
  [
    ["5.7", "7.0"],
    ["node16", "nodenext", "bundler"],
  ],
  [["5.8", "5.9", "6.0"], ["nodenext"]],
];

const versions = COMBINATIONS.flatMap(([some]) => some).sort();
const combinations = COMBINATIONS.flatMap(([some, settings]) =>
  some.flatMap((version) => settings.map((name) => ({ version, name, settings: modules[name] }))),
);

const STREAMS = `import { Readable } from "node:stream";
import { AsyncMusic, taskEvents } from "async-music";
const { tasks, audio } = new AsyncMusic();
Readable.fromWeb(taskEvents(tasks.watch("id")));
Readable.fromWeb((await audio.download("https://music.example")).body);
`;

const project = folderOfFile();

beforeAll(() => {
  installTarball(join(project, pack(project).filename), project);
  installNodeTypes(project);
  for (const file of FILES) copyFileSync(join("test/package/consumers/nodenext", file), join(project, file));
  writeFileSync(join(project, "streams.mts"), STREAMS);
});

test("the page shows the versions and settings that these tests compile", () => {
  const rows = COMBINATIONS.map(
    ([some, settings]) => `| ${some.join(", ")} | ${settings.map((name) => `\`${name}\``).join(", ")} |`,
  );
  expect(page).toContain(["| TypeScript | Settings |", "|---|---|", ...rows, "\n"].join("\n"));
  expect(page).toContain(`TypeScript ${versions[0]} or later`);
  expect(JSON.parse(shown).compilerOptions.types).toEqual(["node"]);
});

test.each(versions)("TypeScript %s is the version that is installed", async (version) => {
  const { stdout } = await compile(version, ["--version"]);
  expect(stdout).toMatch(new RegExp(`^Version ${version}\\.`));
});

test.each(combinations)(
  "TypeScript $version compiles ESM and CommonJS under $name with the options of the page",
  async ({ version, name, settings }) => {
    const path = join(project, `tsconfig.${version}.${name}.json`);
    const { compilerOptions } = JSON.parse(shown);
    const options = { ...compilerOptions, ...settings, skipLibCheck: false, noEmit: true };
    writeFileSync(path, JSON.stringify({ compilerOptions: options, files: FILES }));
    expect(await compile(version, ["--project", path])).toEqual({ code: 0, stdout: "" });
  },
);

// The DOM libraries of earlier versions have another reader.
test("TypeScript 5.9 takes a stream of the SDK as one of Node's, with the libraries of a page", async () => {
  const path = join(project, "tsconfig.streams.json");
  const { compilerOptions } = JSON.parse(shown);
  const lib = ["dom", "dom.iterable", "esnext"];
  const options = { ...compilerOptions, lib, module: "nodenext", noEmit: true };
  writeFileSync(path, JSON.stringify({ compilerOptions: options, files: ["streams.mts"] }));
  expect(await compile("5.9", ["--project", path])).toEqual({ code: 0, stdout: "" });
});

const start = promisify(execFile);

async function compile(version: string, parameters: string[]): Promise<{ code: number; stdout: string }> {
  const script = resolve(`tools/compilers/node_modules/typescript-${version}/bin/tsc`);
  try {
    const { stdout } = await start(process.execPath, [script, ...parameters]);
    return { code: 0, stdout };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && "stdout" in error)) throw error;
    return { code: Number(error.code), stdout: String(error.stdout) };
  }
}

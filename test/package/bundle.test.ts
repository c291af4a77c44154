import { globSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build } from "esbuild";
import { describe, expect, inject, test } from "vitest";
import { eagerlyLoaded } from "../../tools/build/eagerly-loaded.js";
import { importGraph } from "../../tools/build/import-graph.js";
import { invoiceFonts } from "../../tools/build/invoice-fonts.js";
import { mcpLibrary } from "../../tools/build/mcp-library.js";
import { entries, nodeEntries } from "./entries.js";

const kilobytes = 1000;
const SPLIT: BuildOptions = { splitting: true, outdir: "out", plugins: [invoiceFonts, mcpLibrary] };

const bundle = (entryPoints: string[], options: BuildOptions) =>
  build({ ...options, entryPoints, bundle: true, format: "esm", write: false, metafile: true });

test("the package builds", () => {
  expect(inject("buildStatus")).toBe(0);
});

describe("the SDK with its dependencies, in a user's bundle", async () => {
  const options: BuildOptions = { ...SPLIT, minify: true, target: "es2023" };
  const { outputFiles, metafile } = await bundle(["src/index.ts"], options);
  const eager = eagerlyLoaded(metafile, "out/index.js");
  const sizeOf = (isEager: boolean) =>
    outputFiles
      .filter(({ path }) => eager.has(relative(".", path).replaceAll("\\", "/")) === isEager)
      .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);

  test("is at most 48.1 kB that are loaded at once", () => {
    expect(sizeOf(true)).toBeGreaterThan(0);
    expect(sizeOf(true)).toBeLessThanOrEqual(48.1 * kilobytes);
  });

  test("has at most 28.1 kB more that the first download, journal, batch, follower and budget load, ky among them", () => {
    expect(sizeOf(false)).toBeLessThanOrEqual(28.1 * kilobytes);
    const inputs = Object.keys(metafile.outputs).filter((file) => !eager.has(file));
    const lazy = inputs.flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
    expect(lazy).toContain("src/audio/download.ts");
    expect(lazy).toContain("src/follow/follower.ts");
    expect(lazy).toContain("src/journal/slot.ts");
    expect(lazy.some((file) => file.includes("node_modules/ky/"))).toBe(true);
  });

  test("is at most 73.9 kB where a bundler splits nothing", async () => {
    const whole = await bundle(["src/index.ts"], { minify: true, target: "es2023" });
    const sizes = whole.outputFiles.map(({ contents }) => gzipSync(contents, { level: 9 }).length);
    expect(sizes).toHaveLength(1);
    expect(sizes[0]).toBeLessThanOrEqual(73.9 * kilobytes);
  });

  test("has no code of the emulator", () => {
    expect(Object.keys(metafile.inputs).filter((file) => file.startsWith("emulator/"))).toEqual([]);
  });
});

test("the SDK loads no code of the emulator", () => {
  for (const entry of [
    entries["."],
    entries["./node"],
    entries["./redis"],
    entries["./postgres"],
    entries["./opentelemetry"],
  ]) {
    const { files } = importGraph(entry.script);
    const sources = [...files].flatMap(sourcesOf);
    expect(sources.filter((source) => !source.startsWith("../src/"))).toEqual([]);
  }
});

for (const [name, { script }] of Object.entries(entries)) {
  test(`${name} imports only packages that a user has installed`, () => {
    const { packages } = importGraph(script);
    const allowed = ["ky", "zod/mini"];
    if (name === "./opentelemetry") allowed.push("@opentelemetry/api");
    if (name === "./emulator/msw") allowed.push("msw");
    if (name === "./emulator/vitest") allowed.push("vitest");
    // For the MP3 encoder, where there are no web workers.
    if (name.startsWith("./emulator")) allowed.push("worker_threads");
    const isAllowed = (found: string) =>
      allowed.some((specifier) => found.startsWith(`${specifier} in `)) ||
      (nodeEntries.includes(name) && found.startsWith("node:"));
    expect(packages.filter((found) => !isAllowed(found))).toEqual([]);
  });
}

test("the emulator's large parts are loaded at their first use", async () => {
  const { metafile } = await bundle(["emulator/index.ts"], {
    ...SPLIT,
    // Paths stay relative even if `node_modules` is a link.
    preserveSymlinks: true,
    external: ["zod", "worker_threads"],
    mainFields: ["module", "main"],
  });
  const eager = eagerlyLoaded(metafile, "out/index.js");
  const inputsOf = (files: Iterable<string>) =>
    [...files].flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
  const heavy = [
    "emulator/audio/song.ts",
    "emulator/openapi/document.ts",
    "emulator/control/plane.ts",
    "emulator/core/payments/invoice-libraries.ts",
  ];
  const found = (inputs: string[]) => heavy.filter((each) => inputs.some((input) => input.startsWith(each)));
  expect(found(inputsOf(Object.keys(metafile.outputs)))).toEqual(heavy);
  expect(found(inputsOf(eager))).toEqual([]);
});

test("the dashboard's files are less than 150 kB, compressed", () => {
  const served = globSync("dist/dashboard/*").filter((file) => !file.endsWith("LICENSES"));
  const sizes = served.map((file) => gzipSync(readFileSync(file), { level: 9 }).length);
  expect(served.length).toBeGreaterThan(3);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150 * kilobytes);
});

test("every package in the dashboard has its license in the licenses file", () => {
  const licenses = readFileSync("dist/dashboard/THIRD-PARTY-LICENSES", "utf8");
  const titles = [...licenses.matchAll(/^(\S+) \d\S* \((.+)\)$/gm)].map(([, name, license]) => [
    name,
    license,
  ]);
  expect(titles).toEqual([
    ["@picocss/pico", "MIT"],
    ["@preact/signals", "MIT"],
    ["@preact/signals-core", "MIT"],
    ["preact", "MIT"],
    ["uplot", "MIT"],
  ]);
});

test("every bundled package's license is in the licenses file", async () => {
  const entryPoints = ["emulator/index.ts", "cli/main.ts"];
  const options: BuildOptions = {
    ...SPLIT,
    platform: "node",
    external: ["zod", "ky", "ioredis", "pg", "redis"],
  };
  const { metafile } = await bundle(entryPoints, options);
  const bundled = Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .flatMap((source) => source.match(/(?<=.*node_modules\/)(?:@[^/]+\/)?[^/]+/) ?? []);
  const licenses = readFileSync("dist/THIRD-PARTY-LICENSES", "utf8");
  const isNamed = (name: string) => new RegExp(`^${name} \\d\\S* \\(.+\\)$`, "m").test(licenses);
  expect(bundled).toEqual(expect.arrayContaining(["commander", "csv-parse", "@modelcontextprotocol/sdk"]));
  expect(bundled.filter((name) => !isNamed(name))).toEqual([]);
});

function sourcesOf(script: string): string[] {
  return JSON.parse(readFileSync(`${script}.map`, "utf8")).sources;
}

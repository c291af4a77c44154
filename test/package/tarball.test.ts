import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { folderOfFile } from "../support/folder.js";
import { linksOf } from "../support/markdown-links.js";
import { entries } from "./entries.js";
import { shownIn } from "./guides.js";
import { installNodeTypes, installTarball, type Packed, pack, run } from "./install.js";

const megabytes = 1_000_000;

/** Link targets that are only in the repository: the pictures and charts are too large for the package. */
const ONLY_IN_REPOSITORY = /^docs\/(?:images\/|performance-)|^CONTRIBUTING\.md$/;

const folder = folderOfFile();
let packed: Packed;

beforeAll(() => {
  packed = pack(folder);
});

test("a download is at most 1.28 MB", () => {
  expect(packed.size).toBeLessThanOrEqual(1.28 * megabytes);
});

test("the package has the files that users and the license need, and no others", () => {
  const paths = packed.files.map(({ path }) => path);
  const needed = Object.values(entries).flatMap(({ script, types }) => [script, types]);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...needed,
      "dist/cli.js",
      "dist/THIRD-PARTY-LICENSES",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "skills/async-music/SKILL.md",
      "openapi.json",
      "seed-file.schema.json",
    ]),
  );
  const allowed = [
    /^(?:dist|src|emulator)\//,
    /^docs\/[a-z-]+\.(?:md|svg)$/,
    /^skills\/async-music\/SKILL\.md$/,
    /^examples\/[\w/[\].-]+\.(?:md|tsx?|mjs|py|yaml|json|html)$/,
    /^(?:package\.json|llms\.txt|openapi\.json|seed-file\.schema\.json|(?:README|CHANGELOG|SECURITY)\.md|LICENSE)$/,
  ];
  expect(paths.filter((path) => !allowed.some((kind) => kind.test(path)))).toEqual([]);
});

test("every map that a file names is in the package", () => {
  const paths = packed.files.map(({ path }) => path);
  const mapped = paths.filter((path) => /\.(?:js|d\.ts)$/.test(path) && path.startsWith("dist/"));
  const named = mapped.flatMap((path) => {
    const [, map] = /\n\/\/# sourceMappingURL=(\S+)\s*$/.exec(readFileSync(path, "utf8")) ?? [];
    return map === undefined ? [] : [join(dirname(path), map)];
  });
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((map) => !paths.includes(map))).toEqual([]);
});

test("a release is public, with provenance, at the configured registry", () => {
  const { publishConfig } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(publishConfig).toEqual({ access: "public", provenance: true });
});

test("README.md and CONTRIBUTING.md name the oldest supported Node version", () => {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
  const oldest = engines.node.replace(">=", "from ");
  expect(readFileSync("README.md", "utf8")).toContain(`Node ${oldest},`);
  expect(readFileSync("CONTRIBUTING.md", "utf8")).toContain(`${oldest} on`);
});

test("every link of a page of the package leads to a file of the package", () => {
  const paths = packed.files.map(({ path }) => path);
  const pages = paths.filter((path) => path.endsWith(".md") || path === "llms.txt");
  const links = pages.flatMap((page) =>
    linksOf(page)
      .map((link) => link.replace(/#.*/, ""))
      .map((path) => (path === "" ? page : join(dirname(page), path))),
  );
  expect(links.length).toBeGreaterThan(100);
  const missing = links.filter((path) => !paths.includes(path));
  expect(missing.filter((path) => !ONLY_IN_REPOSITORY.test(path))).toEqual([]);
});

test.each([
  ["nodenext", "tsc"],
  ["nodenext", "tsc6"],
  ["bundler", "tsc"],
  ["bundler", "tsc6"],
])("a user's project compiles under %s with %s, without types of other packages", (consumer, compiler) => {
  const project = installInto(consumer);
  run(resolve("node_modules/.bin", compiler), ["--project", project]);
});

test("under node10, which ignores `exports`, a project compiles with the types and not with the sources", () => {
  const project = installInto("node10");
  const listed = run(resolve("node_modules/.bin/tsc6"), ["--project", project, "--listFiles"]);
  const files = listed.split("\n").filter((file) => file.includes("/node_modules/async-music/"));
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !file.endsWith(".d.ts"))).toEqual([]);
});

test("node10 finds the types that `exports` names", () => {
  const { exports, types, typesVersions } = JSON.parse(readFileSync("package.json", "utf8"));
  const listed = { ...typesVersions["*"], "": [types] };
  for (const [name, entry] of Object.entries<{ types?: string }>(exports))
    if (entry.types !== undefined) expect(listed[name.slice(2)]).toEqual([entry.types]);
});

/** Installs the tarball as a user's only package, besides Node's types in a project for Node. */
function installInto(consumer: string): string {
  const project = mkdtempSync(join(folder, `${consumer}-`));
  cpSync(join("test/package/consumers", consumer), project, { recursive: true });
  installTarball(join(folder, packed.filename), project);
  if (consumer !== "bundler") installNodeTypes(project);
  if (consumer === "nodenext") {
    for (const [index, { code }] of shownIn("ts").entries()) {
      writeFileSync(join(project, `guide-${index}.mts`), code);
    }
  }
  return project;
}

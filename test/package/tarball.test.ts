import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { entries } from "./entries.js";
import { shownIn } from "./guides.js";

const megabytes = 1_000_000;

let folder: string;
let packed: { filename: string; size: number; files: { path: string }[] };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "async-music-"));
  const report = run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder]);
  packed = JSON.parse(report)[0];
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a download is at most 1.5 MB", () => {
  expect(packed.size).toBeLessThanOrEqual(1.5 * megabytes);
});

test("the package holds what its users and its license need, and nothing of the workshop", () => {
  const paths = packed.files.map(({ path }) => path);
  const needed = Object.values(entries).flatMap(({ script, types }) => [script, types]);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...needed,
      "dist/cli.js",
      "dist/THIRD-PARTY-LICENSES",
      "LICENSE",
      "README.md",
      "llms-full.txt",
      "openapi.json",
    ]),
  );
  const ours =
    /^(?:dist|src|emulator)\/|^docs\/[a-z-]+\.(?:md|svg)$|^(?:package\.json|llms(?:-full)?\.txt|openapi\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
  expect(paths.filter((path) => !ours.test(path))).toEqual([]);
});

test("a release is for everybody, tells where it was built, and goes where npm is set to send it", () => {
  const { publishConfig } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(publishConfig).toEqual({ access: "public", provenance: true });
});

test("the README and CONTRIBUTING.md name the oldest Node that the package admits", () => {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
  const oldest = engines.node.replace(">=", "from ");
  expect(readFileSync("README.md", "utf8")).toContain(`Node ${oldest},`);
  expect(readFileSync("CONTRIBUTING.md", "utf8")).toContain(`${oldest} on`);
});

test("the README's guides, and the guides' own, are there for who has only installed it", () => {
  const paths = packed.files.map(({ path }) => path);
  const linkedIn = (page: string, folder: string) =>
    [...readFileSync(page, "utf8").matchAll(/\]\(([\w/-]+\.md)/g)].map(([, link]) => `${folder}${link}`);
  const guides = ["README.md", "llms.txt"]
    .flatMap((page) => linkedIn(page, ""))
    .filter((page) => page.startsWith("docs/"));
  expect(guides.length).toBeGreaterThan(10);
  const linked = [...guides, ...guides.flatMap((guide) => linkedIn(guide, "docs/"))];
  expect(paths).toEqual(expect.arrayContaining(linked));
});

test.each([
  ["nodenext", "tsc"],
  ["nodenext", "tsc6"],
  ["bundler", "tsc"],
  ["bundler", "tsc6"],
])("a user's project compiles under %s with %s, with no dependency's types at hand", (consumer, compiler) => {
  const project = installInto(consumer);
  run(resolve("node_modules/.bin", compiler), ["--project", project]);
});

/** Unpacks the tarball as a user's only installed package, but for Node's types where they compile for Node. */
function installInto(consumer: string): string {
  const project = mkdtempSync(join(folder, `${consumer}-`));
  const installed = join(project, "node_modules/async-music");
  cpSync(join("test/package/consumers", consumer), project, { recursive: true });
  mkdirSync(installed, { recursive: true });
  run("tar", ["-xzf", join(folder, packed.filename), "--strip-components=1", "-C", installed]);
  if (consumer === "nodenext") {
    for (const name of ["@types/node", "undici-types"]) {
      cpSync(join("node_modules", name), join(project, "node_modules", name), { recursive: true });
    }
    for (const [index, { code }] of shownIn("ts").entries()) {
      writeFileSync(join(project, `guide-${index}.mts`), code);
    }
  }
  return project;
}

function run(command: string, parameters: string[]): string {
  return execFileSync(command, parameters, { encoding: "utf8" });
}

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { addCommands } from "../../cli/program.js";
import { METHODS } from "../../emulator/control/plane.js";
import { POLICY_FIELDS } from "../../emulator/core/policy-fields.js";
import * as postgres from "../../src/databases/postgres/index.js";
import * as redis from "../../src/databases/redis/index.js";
import * as sdk from "../../src/index.js";
import * as node from "../../src/node/index.js";
import * as opentelemetry from "../../src/opentelemetry/index.js";
import { shownIn, shownOnStage } from "../package/guides.js";

const read = (path: string) => readFileSync(path, "utf8");

/** The first group of each match. */
const matchesIn = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, group = ""]) => group);

const sortedSet = (names: Iterable<string>) => [...new Set(names)].sort();

test("the site lists every guide, and so does Getting started, in the same order", () => {
  const { projectDocuments }: { projectDocuments: string[] } = JSON.parse(read("typedoc.json"));
  const guides = projectDocuments.filter((path) => path.startsWith("docs/"));
  expect([...guides].sort()).toEqual(globSync("docs/*.md").sort());
  const rows = matchesIn(read("docs/getting-started.md"), /^\| \[.+\]\((.+)\) \|/gm);
  const listed = rows.map((path) => join("docs", path));
  const project = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
  // The package does not have the evidence of fidelity, so that no guide links to it.
  const shown = projectDocuments.filter((path) => path !== "docs/fidelity.md");
  expect(["docs/getting-started.md", ...listed, ...project]).toEqual(shown);
});

test("each excerpt of a guide is in a file of the examples", () => {
  // Without indentation, which excerpts have less of.
  const lines = (text: string) => text.replace(/^ +/gm, "");
  const files = globSync("examples/{express,hono,next,web}/**/*.{ts,tsx,mjs,html}", {
    exclude: (path) => String(path).includes("node_modules"),
  });
  const examples = files.map((file) => lines(read(file)));
  const excerpts = globSync("docs/*.md").flatMap((page) =>
    matchesIn(read(page), /^```\w+ excerpt\n([\s\S]*?)^```$/gm),
  );
  expect(excerpts.length).toBeGreaterThan(0);
  const missing = excerpts.filter((excerpt) => !examples.some((text) => text.includes(lines(excerpt))));
  expect(missing).toEqual([]);
});

test("a request in a variable is declared so that a misspelled field does not compile", () => {
  const pages = ["README.md", "skills/async-music/SKILL.md", ...globSync("{docs,examples}/**/*.{md,ts}")];
  const requests = /task_type: [^;`]*? as const(?: satisfies TaskRequest)?\b/g;
  const declared = pages.flatMap((path) => read(path).match(requests) ?? []);
  expect(declared.length).toBeGreaterThan(0);
  expect(declared.filter((each) => !each.endsWith("TaskRequest"))).toEqual([]);
});

test("the guide installs every package that the examples of queues import", () => {
  const examples = globSync("examples/{queues,postgres}/*.ts").map(read).join("\n");
  const imports = matchesIn(examples, /^(?:import|\}) .*from "([^."].*)";$/gm);
  const packages = imports.filter((name) => !/^(node:|async-music\/)/.test(name));
  const commands = matchesIn(read("docs/many-processes.md"), /^npm install (.*)$/gm);
  const installed = commands.flatMap((names) => names.replace("# or:", "").split(/ +/));
  const names = installed.map((name) => name.replace(/(?<=.)@\d+$/, ""));
  expect(sortedSet(names)).toEqual(sortedSet(packages));
});

test("every command that installs pg-boss names the tested major version", () => {
  // On an older Node, npm chooses an older version, which the example does not work with.
  const [major] = /\d+/.exec(JSON.parse(read("package.json")).devDependencies["pg-boss"]) ?? [];
  const texts = ["docs/many-processes.md", "examples/README.md", "examples/postgres/fleet.ts"].map(read);
  const installed = texts.flatMap((text) => text.match(/npm install [^`\n]*?pg-boss\S*/g) ?? []);
  expect(installed.length).toBe(3);
  for (const command of installed) expect(command).toMatch(new RegExp(`pg-boss@${major}(?!\\d)`));
});

test("every option has its row, and every row its option", () => {
  const page = read("docs/options.md").split("## Requests")[0] ?? "";
  const rows = matchesIn(page, /^\| (`\w+`(?:, `\w+`)*) \|/gm).flatMap((names) => names.match(/\w+/g) ?? []);
  const reports = ["index", "node", "redis", "postgres", "opentelemetry"]
    .map((entry) => read(`api/${entry}.api.md`))
    .join("\n");
  const fields = matchesIn(reports, /^export interface \w+Options\b.*\{\n([^}]*)\}/gm);
  const options = fields.flatMap((each) => matchesIn(each, /^ {4}(\w+)\??:/gm));
  expect(sortedSet(rows)).toEqual(sortedSet(options));
});

test("every field of a journal entry has its row, and every row its field", () => {
  const [, section = ""] = read("docs/avoid-duplicate-charges.md").split("\n### The entry of a key\n");
  const [, table = ""] = section.split("\n| Field |");
  const rows = matchesIn(table.split("\n\n")[0] ?? "", /^\| (`\w+`(?:, `\w+`)*) \|/gm);
  const pattern = /^export interface Journal(?:Fields|Intent|Record)\b.*\{\n([^}]*)\}/gm;
  const interfaces = matchesIn(read("api/index.api.md"), pattern);
  expect(interfaces).toHaveLength(3);
  const fields = interfaces.flatMap((each) => matchesIn(each, /^ {4}(\w+)\??:/gm));
  const shown = rows.flatMap((names) => names.match(/\w+/g) ?? []);
  expect(sortedSet(["state", ...shown])).toEqual(sortedSet(fields));
});

test("every exported function, constant and class is named in a guide", () => {
  const guides = globSync("docs/*.md").map(read).join("\n");
  const names = [sdk, node, redis, postgres, opentelemetry].flatMap((entry) => Object.keys(entry));
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(guides))).toEqual([]);
});

test("every command has its row and every flag its mention, and the pages name no other flag", () => {
  const page = ["cli", "drift", "certify", "agents"].map((name) => read(`docs/${name}.md`)).join("\n");
  const program = new Command();
  addCommands(program, Object({ env: {} }), null);
  const commands = matchesIn(page, /^\| `async-music (\w+)/gm);
  expect(commands).toEqual(program.commands.map((command) => command.name()));
  const flags = program.commands.flatMap(({ options }) => options.filter(({ hidden }) => !hidden));
  const shown = matchesIn(page, /(?<![\w-])(--[a-z][a-z-]*)/g);
  const known = ["--help", ...flags.map(({ long }) => long ?? "")];
  expect(sortedSet(shown)).toEqual(sortedSet(known));
});

test("every error class has its row, and every row its class", () => {
  const rows = matchesIn(read("docs/errors.md"), /^\| `(\w+)` \|/gm);
  const classes = Object.keys(sdk).filter((name) => name.endsWith("Error") && name !== "AsyncMusicError");
  expect(rows.sort()).toEqual(classes.sort());
});

test("each error class that extends another one is listed with it", () => {
  const said = [...read("docs/errors.md").matchAll(/`(\w+)` (?:is )?an?\s+`(\w+)`/g)].map(
    ([, name, base]) => [name, base],
  );
  const classes = Object.values(sdk).filter((value) => typeof value === "function");
  const extending = classes
    .map((each) => [each.name, Object.getPrototypeOf(each).name])
    .filter(([, base]) => base.endsWith("Error") && !["AsyncMusicError", "ApiError", "Error"].includes(base));
  expect(extending).toContainEqual(["TaskTimedOutError", "TaskFailedError"]);
  expect(said.sort()).toEqual(extending.sort());
});

test("every policy option has its row, with its values, the default first", () => {
  const [, table = ""] = read("docs/simulate-failures.md").split("\n### Policy options\n");
  const rows = [...table.matchAll(/^\| `(\w+)` \| (.+?) \|/gm)];
  const shown = Object.fromEntries(
    rows.map(([, name, values = ""]) => [name, matchesIn(values, /`(.+?)`/g)]),
  );
  const fields = Object.entries(POLICY_FIELDS).map(([name, field]) => {
    const others = field.choices.filter((choice) => choice !== field.default);
    return [name, [field.default, ...others].map((value) => JSON.stringify(value))];
  });
  expect(shown).toEqual(Object.fromEntries(fields));
});

test("the reference of the control plane has every call", () => {
  const page = read("docs/control-plane.md").replaceAll("…", "/accounts/{account_id}");
  const listed = matchesIn(page, /`((?:GET|POST|PUT|PATCH|DELETE) \/.+?)`/g);
  const routes = METHODS.map(({ route }) => route.replace("/openapi.json", "/_emulator/openapi.json"));
  expect(sortedSet(listed)).toEqual(routes.sort());
});

test("the docstring of `explore` has the program of its guide, word for word", () => {
  const codeOf = (shown: readonly { name: string; code: string }[], source: string) =>
    shown.filter(({ name }) => name.startsWith(source)).map(({ code }) => code);
  const [example] = codeOf(shownOnStage("ts"), "emulator/worlds/explore.ts");
  expect(codeOf(shownIn("ts"), "docs/worlds.md")).toContain(example);
});

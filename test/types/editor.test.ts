import { globSync, readFileSync } from "node:fs";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { fieldNames, INPUT_LIST, modesOf } from "../../src/contract/inputs.js";
import { OFFERS } from "../spec/tables/service.js";

// What TypeScript's language service, which editors run, offers and reports in a file of a user.

const FILE = `${process.cwd()}/test/types/a-users-file.ts`;
const HEAD = `import { AsyncMusic, creditsFor, type TaskRequest } from "async-music";
declare const client: AsyncMusic;
declare const rows: { text: string; length: number }[];
void creditsFor;
`;

let editor: ts.LanguageService;
let content = "";
let version = 0;

beforeAll(() => {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  editor = ts.createLanguageService({
    getCompilationSettings: () => ({ ...options, noUnusedLocals: false }),
    getScriptFileNames: () => [FILE],
    getScriptVersion: (file) => (file === FILE ? String(version) : ""),
    getScriptSnapshot(file) {
      if (file === FILE) return ts.ScriptSnapshot.fromString(content);
      return ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(readFileSync(file, "utf8")) : undefined;
    },
    getCurrentDirectory: () => process.cwd(),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (file) => file === FILE || ts.sys.fileExists(file),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
});

/** What the editor offers at `|`: names in the order of its list, with the types that it shows. */
function offeredAt(code: string): { name: string; type: string }[] {
  const [before = "", after = ""] = `${HEAD}${code}`.split("|");
  content = before + after;
  version++;
  const entries = editor.getCompletionsAtPosition(FILE, before.length, {})?.entries ?? [];
  const orderOf = ({ sortText, name }: ts.CompletionEntry) => `${sortText} ${name}`;
  return entries
    .toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
    .map(({ name }) => {
      const details = editor.getCompletionEntryDetails(
        FILE,
        before.length,
        name,
        {},
        undefined,
        {},
        undefined,
      );
      const shown = ts.displayPartsToString(details?.displayParts);
      return { name, type: shown.replace(/^.*?\??: /, "") };
    });
}

/** The documentation that the editor shows beside what it offers at `|`, by name. */
function documentedAt(code: string): ReadonlyMap<string, string> {
  const offered = offeredAt(code).map(({ name }) => name);
  const at = `${HEAD}${code}`.indexOf("|");
  const textOf = (name: string) =>
    editor.getCompletionEntryDetails(FILE, at, name, {}, undefined, {}, undefined)?.documentation;
  return new Map(offered.map((name) => [name, ts.displayPartsToString(textOf(name))]));
}

/** The documentation that the editor shows when the pointer is at `|`: each `@throws` as one text. */
function helpAt(code: string): { text: string; throws: string[] } {
  shownAt(code);
  const help = editor.getQuickInfoAtPosition(FILE, `${HEAD}${code}`.indexOf("|"));
  const throws = help?.tags?.filter(({ name }) => name === "throws") ?? [];
  return {
    text: ts.displayPartsToString(help?.documentation),
    throws: throws.map(({ text }) => ts.displayPartsToString(text)),
  };
}

/** What the editor shows when the pointer is at `|`. */
function shownAt(code: string): string {
  const [before = "", after = ""] = `${HEAD}${code}`.split("|");
  content = before + after;
  version++;
  const shown = editor.getQuickInfoAtPosition(FILE, before.length)?.displayParts;
  return ts.displayPartsToString(shown).replace(/\s+/g, " ");
}

function errorIn(code: string): string {
  content = HEAD + code;
  version++;
  const [error] = editor.getSemanticDiagnostics(FILE);
  return ts.flattenDiagnosticMessageText(error?.messageText ?? "", "\n");
}

/** The fields of each model and task type, as the type tests compare them with the types of the requests. */
const FIELDS = OFFERS.map(
  ({ model, type }) => [model, type, fieldNames(modesOf(INPUT_LIST, model, type))] as const,
);

describe.each([
  ["run", (request: string) => `void client.tasks.run(${request});`],
  ["create", (request: string) => `void client.tasks.create(${request});`],
  ["runAll", (request: string) => `client.tasks.runAll([${request}]);`],
  ["creditsFor", (request: string) => `creditsFor(${request});`],
  ["a declared request", (request: string) => `export const request: TaskRequest = ${request};`],
])("in `input` of %s, an editor offers", (_, codeOf) => {
  test.each(FIELDS)("the fields of %s, %s first, and the reason why others must be absent", (...row) => {
    const [model, taskType, fields] = row;
    const offered = offeredAt(codeOf(`{ model: "${model}", task_type: "${taskType}", input: { | } }`));
    const own = offered.filter(({ type }) => !type.includes("Forbidden<"));
    const other = model === "provider_a" ? "provider_b" : "provider_a";
    expect(own.map(({ name }) => name).sort()).toEqual(fields.toSorted());
    expect(own.filter(({ type }) => /\bnever\b/.test(type))).toEqual([]);
    expect(offered.slice(0, own.length)).toEqual(own);
    for (const { type } of offered.slice(own.length))
      expect(type).toContain(`Forbidden<"${model} refuses this field of ${other}">`);
  });
});

test("a mode's own input offers the fields of the mode first, and of others the reason", () => {
  const offered = offeredAt('export const input: import("async-music").InspirationInput = { | };');
  const own = offered.filter(({ type }) => !type.startsWith("Forbidden<"));
  expect(own.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["gpt_description_prompt", "tags", "title"]),
  );
  expect(own.length).toBeLessThan(offered.length);
  expect(offered.slice(0, own.length)).toEqual(own);
});

test.each([
  ["music", "provider_a", 'tags: "fado"', "ProviderAMusicRequest"],
  ["music", "provider_b", 'prompt: "calm"', "ProviderBMusicRequest"],
  ["lyrics", "provider_a", 'prompt: "rain"', "LyricsRequest"],
])("the type of a call for %s of %s shows one request", (taskType, model, input, type) => {
  const request = `{ model: "${model}", task_type: "${taskType}", input: { ${input} } }`;
  expect(shownAt(`void client.tasks.r|un(${request});`)).toContain(
    `(request: ${type} & { task_type: "${taskType}"; } & { model: "${model}"; }, options?: RunOptions<"${taskType}"> | undefined)`,
  );
});

test.each([
  ["a field of the other model", "title: row.text", "refuses this field of provider_a"],
  ["a value of a wrong type", "tags: row.length", "Type 'number' is not assignable to type 'string'"],
  [
    "a misspelled required field",
    "promt: row.text",
    "Property 'prompt' is missing in type '{ promt: string; }'",
  ],
])("the error about %s in `runAll(rows.map(…))` is about the element", (_, field, expected) => {
  const prompt = field.startsWith("promt") ? "" : "prompt: row.text, ";
  const code = `client.tasks.runAll(rows.map((row) => (
    { model: "provider_b", task_type: "music", input: { ${prompt}${field} } })));`;
  const error = errorIn(code);
  expect(error).toContain(expected);
  expect(error).not.toMatch(/IteratorResult|Symbol\.iterator/);
  expect(error.split("\n")[2]).toMatch(
    /^ +Type '\{ model: "provider_b";.* is not assignable to type 'TaskRequest'/,
  );
});

test.each(["title", "negative_tags", "prompt", "tags"])(
  "the help about `%s` names each mode of `provider_a` that ignores the field",
  (field) => {
    const code = 'void client.tasks.run({ model: "provider_a", task_type: "music", input: { | } });';
    const help = documentedAt(code).get(field) ?? "";
    for (const { chosenBy, ignored = [] } of modesOf(INPUT_LIST, "provider_a", "music")) {
      const mode = chosenBy === "continue_clip_id" ? "continuation" : "inspiration";
      if (ignored.includes(field)) expect(help).toContain(`Accepted and ignored in ${mode} mode.`);
    }
    expect(help).not.toContain("this mode");
  },
);

describe("the help about a call lists its errors by their names", () => {
  const SUBMISSION = "await client.tasks.create(rows[0] as never)";

  test.each([
    ["client.account.bal|ance()", "InvalidOptionError", "ApiError", "InvalidResponseError"],
    ["client.account.us|age()", "InvalidOptionError", "ApiError", "InvalidResponseError"],
    ["client.tasks.cr|eate(rows as never)", "InvalidOptionError", "CreditCeilingError", "BudgetError"],
    ["client.tasks.r|un(rows as never)", "InvalidOptionError", "CreditCeilingError", "BudgetError"],
    ['client.tasks.ret|rieve("id")', "InvalidOptionError", "TaskNotFoundError", "ApiError"],
    [`client.tasks.ret|rieve(${SUBMISSION})`, "InvalidOptionError", "TaskNotFoundError", "ApiError"],
    ['client.tasks.wa|it("id")', "InvalidOptionError", "TaskFailedError", "WaitTimeoutError"],
    [`client.tasks.wa|it(${SUBMISSION})`, "InvalidOptionError", "TaskFailedError", "WaitTimeoutError"],
    ['client.tasks.wa|tch("id")', "InvalidOptionError", "WaitTimeoutError"],
    [`client.tasks.wa|tch(${SUBMISSION})`, "InvalidOptionError", "WaitTimeoutError"],
    ["client.tasks.run|All([])", "InvalidOptionError"],
    ["client.tasks.fol|low({} as never)", "InvalidOptionError", "JournalError"],
    ['client.audio.down|load("https://music.example/1")', "InvalidOptionError", "AudioExpiredError"],
    ["creditsF|or(rows as never)", "InvalidOptionError"],
  ])("%s", (call, ...errors) => {
    const { text, throws } = helpAt(`export const result = ${call};`);
    expect(text.length).toBeGreaterThan(50);
    expect(
      throws.filter((each) => !/^(?:`[A-Z]\w+`|the errors of) /.test(each.replaceAll(/`, (?=`)/g, "` "))),
    ).toEqual([]);
    for (const error of errors) expect(throws.join("\n")).toContain(`\`${error}\``);
  });
});

test("no docstring has a link after `@throws`, which editors show as half a type", () => {
  const files = globSync("{src,emulator,cli}/**/*.{ts,tsx}");
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => /@throws \{/.test(readFileSync(file, "utf8")))).toEqual([]);
});

describe("where the global `fetch` has further properties, as in Bun,", () => {
  const IN_BUN = "declare global { namespace fetch { function preconnect(url: string): void } }";

  test("a custom `fetch` needs none of them", () => {
    const error = errorIn(`${IN_BUN}
      new AsyncMusic({ fetch: (input, init) => fetch(input, init) });
      new AsyncMusic({ fetch: async (...request) => fetch(...request) });
      new AsyncMusic({ fetch });`);
    expect(error).toBe("");
  });

  test.each([
    ["an emulator", "createEmulator()"],
    ["its connection", "createEmulator().connection()"],
    ["a process of a world", "{} as Process"],
  ])("the `fetch` of %s has none of them", (_, owner) => {
    const error = errorIn(`${IN_BUN}
      import { createEmulator } from "async-music/emulator";
      import type { Process } from "async-music/emulator/worlds";
      void createEmulator;
      fetch.preconnect("https://music.example");
      (${owner}).fetch.preconnect("https://music.example");`);
    expect(error).toBe("Property 'preconnect' does not exist on type 'Fetch'.");
  });
});

test("the error about a field of the other model names the reason", () => {
  const error = errorIn(
    'void client.tasks.run({ model: "provider_b", task_type: "music", input: { prompt: "calm", title: "Rain" } });',
  );
  expect(error).toContain('Forbidden<"provider_b refuses this field of provider_a">');
  expect(error).not.toMatch(/\bnever\b/);
});

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { installNodeTypes, installTarball, pack } from "../package/install.js";
import { folderOfFile } from "../support/folder.js";

// What the compiler says about a wrong request: the sentences name the mistake, and blame nothing else.

const VERSIONS = ["5.9", "7.0"];

const HEAD = `import { type AsyncMusic, creditsFor, type ProviderAMusicRequest, type ProviderBMusicRequest } from "async-music";
import type { PostgresClient, PostgresJournal } from "async-music/postgres";
declare const client: AsyncMusic;
declare const connection: PostgresClient;
declare const journal: PostgresJournal;
declare const text: string | undefined;
export { client, connection, creditsFor, journal, text };
`;

/** The calls that take a request. The compiler shows the element's part of an error about `runAll(rows.map(…))`. */
const CALLS: Record<string, (request: string, type: string) => string> = {
  create: (request) => `client.tasks.create(${request});`,
  run: (request) => `client.tasks.run(${request});`,
  plan: (request) => `journal.plan(connection, "order-1", ${request});`,
  runAll: (request) => `client.tasks.runAll([1].map(() => (${request})));`,
  "runAll of a named type": (request, type) => `client.tasks.runAll<${type}>([${request}]);`,
  creditsFor: (request) => `creditsFor(${request});`,
  "a declared request": (request, type) => `export const request: ${type} = ${request};`,
};

const UNDEFINED = "Type 'undefined' is not assignable to type 'string'";
const NO_PROMPT = /Property 'prompt' is missing in type '.*' but required in type 'ProviderBMusicInput'/;

const TYPES = { provider_a: "ProviderAMusicRequest", provider_b: "ProviderBMusicRequest" };

const MISTAKES: [
  mistake: string,
  model: keyof typeof TYPES,
  input: string,
  says: string | RegExp,
  not: RegExp,
][] = [
  [
    "a text as `continue_at`",
    "provider_a",
    'continue_clip_id: "c", continue_at: "95"',
    "Type 'string' is not assignable to type 'number'",
    /Forbidden/,
  ],
  ["lyrics without `prompt`", "provider_b", 'lyrics: "la"', NO_PROMPT, /Forbidden/],
  ["styles without `prompt`", "provider_b", 'tags: "fado"', NO_PROMPT, /Forbidden/],
  ["no field at all", "provider_b", "", NO_PROMPT, /Forbidden/],
  ["`prompt` that may be undefined", "provider_b", "prompt: text", UNDEFINED, /Forbidden|missing/],
  [
    "`gpt_description_prompt` that may be undefined",
    "provider_a",
    "gpt_description_prompt: text",
    UNDEFINED,
    /Forbidden|missing/,
  ],
  [
    "`continue_clip_id` that may be undefined",
    "provider_a",
    "continue_clip_id: text",
    UNDEFINED,
    /Forbidden|missing/,
  ],
  ["`tags` that may be undefined", "provider_a", "tags: text", UNDEFINED, /Forbidden|missing/],
  [
    "no field at all",
    "provider_a",
    "",
    /Type '\{\}' is not assignable to type '.*ContinuationInput \| InspirationInput \| CustomInput/,
    /ProviderBMusicInput/,
  ],
  [
    "a field of provider_b",
    "provider_a",
    'tags: "fado", lyrics: "la"',
    "Type 'string' is not assignable to type 'Forbidden<\"provider_a refuses this field of provider_b\">'",
    /missing/,
  ],
  [
    "a field of provider_a",
    "provider_b",
    'prompt: "calm", title: "Rain"',
    "Type 'string' is not assignable to type 'Forbidden<\"provider_b refuses this field of provider_a\">'",
    /missing/,
  ],
];

const OTHER_TASK_TYPE = '{ model: "provider_b", task_type: "lyrics", input: { prompt: "rain" } }';

const project = folderOfFile();

beforeAll(() => {
  installTarball(join(project, pack(project).filename), project);
  installNodeTypes(project);
  for (const [call, codeOf] of Object.entries(CALLS)) {
    for (const [index, [, model, input]] of MISTAKES.entries()) {
      const request = `{ model: "${model}", task_type: "music", input: { ${input} } }`;
      writeFileSync(join(project, `${call}-${index}.mts`), HEAD + codeOf(request, TYPES[model]));
    }
    writeFileSync(join(project, `${call}-lyrics.mts`), HEAD + codeOf(OTHER_TASK_TYPE, TYPES.provider_b));
  }
  const compilerOptions = {
    target: "ES2022",
    module: "nodenext",
    types: ["node"],
    strict: true,
    noEmit: true,
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts"] }));
});

describe.each(VERSIONS)("TypeScript %s", (version) => {
  let errors: Map<string, string>;

  beforeAll(async () => {
    errors = await compile(version);
  });

  describe.each(Object.keys(CALLS))("in %s, names the mistake", (call) => {
    test.each(MISTAKES.map((row, index) => [...row, index] as const))(
      "%s, in a song of %s",
      (_mistake, _model, _input, says, not, index) => {
        const error = errors.get(`${call}-${index}.mts`);
        expect(error).toMatch(says);
        expect(error).not.toMatch(not);
      },
    );
  });

  test.each(["create", "run", "plan"])("in %s, names the model that lacks the task type", (call) => {
    const error = errors.get(`${call}-lyrics.mts`);
    expect(error).toContain(`Type '"provider_b"' is not assignable to type '"provider_a"'`);
    expect(error).not.toMatch(/\bnever\b/);
  });
});

/** Compiles the project, and returns the errors of each file. */
async function compile(version: string): Promise<Map<string, string>> {
  const script = resolve(`tools/compilers/node_modules/typescript-${version}/bin/tsc`);
  const compiled = promisify(execFile)(process.execPath, [script, "--pretty", "false"], { cwd: project });
  const { stdout } = await compiled.catch((error: { stdout: string }) => error);
  const errors = new Map<string, string>();
  for (const error of stdout.split(/\n(?=\S)/)) {
    const [, file = "", text = ""] = /^(.+?)\(\d+,\d+\): error TS\d+: (.*)$/s.exec(error) ?? [];
    errors.set(file, `${errors.get(file) ?? ""}${text}\n`);
  }
  return errors;
}

import { globSync } from "node:fs";
import { relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { findErrorTexts } from "./support/error-texts.js";
import { findMessageReads } from "./support/message-reads.js";

// An error is data: its class, its code, its parts. The wording of a message may change at any time, and nothing depends on it.

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile("tsconfig.json", ts.sys.readFile).config,
  ts.sys,
  ".",
);

/** These change any text in the same way: they remove keys, passwords and control characters, or end a sentence. */
const CLEANERS = ["src/contract/text.ts", "src/contract/message.ts", "src/errors/redactor.ts"];

/** Other software and the service may state a fact in a message alone, or more than is shown. By file and function. */
const FOREIGN: Readonly<Record<string, string>> = {
  "src/http/never-sent.ts certainlyNeverSent": "undici and Deno: an error without a code",
  "src/http/failure.ts codeOf": "undici: an error without a code",
  "src/http/failure.ts connectionError": "undici: the text in place of a code",
  "src/http/failure.ts reasonOf": "the service: its message is shortened",
  "emulator/dashboard/views/requests/search.ts found": "the reader: words that a message contains",
  "cli/mcp/setup.ts writableDirectory": "Node: its message names a temporary file",
};

const isCleaner = (file: string) => CLEANERS.includes(relative(".", file));

const files = globSync("{src,emulator,cli}/**/*.{ts,tsx}")
  .filter((file) => !file.endsWith(".d.ts"))
  .map((file) => resolve(file).replaceAll("\\", "/"))
  .sort();
const program = ts.createProgram(files, options);

test("test/golden/error-messages.txt lists the texts of all errors", async () => {
  const texts = [...findErrorTexts(program, files)].map(
    ([file, lines]) =>
      `${relative(".", file)}\n${lines.map((line) => `  ${JSON.stringify(line)}\n`).join("")}`,
  );
  await expect(texts.join("\n")).toMatchFileSnapshot("golden/error-messages.txt");
});

test("no code reads the message of an error of this repository", () => {
  const reads = findMessageReads(program, files, isCleaner).map((read) => ({
    ...read,
    where: `${relative(".", read.file)} ${read.within}`,
  }));
  const unlisted = reads.filter(({ where }) => FOREIGN[where] === undefined);
  expect(unlisted.map(({ where, line, code }) => `${where}, line ${line}: ${code}`)).toEqual([]);
  expect([...new Set(reads.map(({ where }) => where))].sort()).toEqual(Object.keys(FOREIGN).sort());
});

const READING = {
  "a change": "error.message.replace('a', 'b')",
  "a regular expression": "/^a/.test(error.message)",
  "a comparison": "error.message === 'No.'",
  "a variable": "const { message } = error; message.split(',')",
  "a template": `const { message: said } = error; const all = \`! \${said}\`; all.slice(1)`,
  "a sum": "const all = 'No: ' + error.message; all.slice(1)",
  "an assignment": "let said = ''; said = error.message; said.startsWith('a')",
  "an argument": "const f = (text: string) => text.endsWith('.'); f(error.message)",
  "a result": "function f(e: Error) { return e.message } f(error).includes('a')",
  "a conversion": "String(error.message).match(/a/)",
  "a list": "['a'].includes(error.message)",
  "a switch": "switch (error.message) { case 'a': }",
  "a computed name": "error['message'].trim()",
  "a part of an error": "parts.why.search('a')",
  "a map": "new Map([['a', 1]]).get(error.message)",
  "a promise": "(await Promise.resolve(error)).message.indexOf('a')",
  "an older error": "(error.cause as Error).message.toLowerCase()",
};

const SHOWING = {
  "a log line": "console.log(error.name, error.message)",
  "another message": "new Error('Failed to sing: ' + error.message, { cause: error })",
  "its absence": "error.message === undefined ? '' : error.message",
  "a list of messages": "const said = [error.message].join('; ')",
  "a class": "error.name.startsWith('a') && error.message",
  "another text": "const show = (text: string) => console.log(text); show(error.message); 'a'.split('')",
  "a method of that name": "const event = { message() { return 'a' } }; event.message().split('')",
};

describe("the search for code that reads messages", () => {
  const samples = new Map(
    [...Object.entries(READING), ...Object.entries(SHOWING)].map(([name, code]) => [
      `${name}.ts`,
      `declare const error: Error, parts: { why: string };\n${code}\nexport {};`,
    ]),
  );
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => samples.has(file) || fileExists(file);
  host.getSourceFile = (file, ...rest) => {
    const code = samples.get(file);
    return code === undefined
      ? getSourceFile(file, ...rest)
      : ts.createSourceFile(file, code, ts.ScriptTarget.ES2023, true);
  };
  const names = [...samples.keys()];
  const found = new Set(
    findMessageReads(ts.createProgram(names, options, host), names, isCleaner).map(({ file }) => file),
  );

  test.each(Object.keys(READING))("finds %s", (name) => {
    expect(found).toContain(`${name}.ts`);
  });

  test.each(Object.keys(SHOWING))("allows %s", (name) => {
    expect(found).not.toContain(`${name}.ts`);
  });
});

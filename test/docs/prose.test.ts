import { expect, test } from "vitest";
import { lintProse } from "../../tools/prose/lint.js";

test.each([
  ["the text of a page", "docs/page.md", "Nobody hears of it.", ["1:1 Nobody", "1:8 hears"]],
  ["a heading", "docs/page.md", "\n# Bad days", ["2:3 Bad days"]],
  ["a table", "docs/page.md", "| a | the answer |\n|---|---|", ["1:11 answer"]],
  ["a docstring", "src/a.ts", "/** First line.\n * Asks the service. */\nconst a = 1;", ["2:4 Asks"]],
  ["a comment", "src/a.ts", "const a = 1; // in every room", ["1:26 room"]],
  ["a message", "src/a.ts", 'throw new Error("The client knows no task.");', ["1:22 client knows"]],
  ["a template", "src/a.ts", "const a = `Task $" + "{id} goes on.`;", ["1:23 goes on"]],
  ["text in JSX", "emulator/a.tsx", "const a = <p>Seen in colour</p>;", ["1:22 colour"]],
  ["a declared name", "src/a.ts", "class AnswerEvent {\n  #isHeard = true;\n}", ["1:7 answer", "2:3 heard"]],
  ["the name of a type", "src/a.ts", "type ConductRule = string;", ["1:6 conduct"]],
  ["the front matter", "docs/page.md", "---\ndescription: The answers.\n---\n", ["2:18 answers"]],
  ["an alternative text", "docs/page.md", "![The answer](a.png)", ["1:7 answer"]],
  ["code of a page", "docs/page.md", "```ts\nconst a = 1; // in every room\n```", ["2:26 room"]],
  ["a command of a page", "docs/page.md", "```sh\n# Nobody\n```", ["2:3 Nobody"]],
  ["an example", "src/a.ts", "/**\n * ```ts\n * a(); // every room\n * ```\n */", ["3:18 room"]],
  [
    "Python",
    "examples/a.py",
    'def a():\n    """The answer."""\n    b()  # nobody',
    ["2:12 answer", "3:12 nobody"],
  ],
  ["a web page", "a.html", "<p>Nobody</p>\n<script>\n// room\n</script>\n", ["1:4 Nobody", "3:4 room"]],
  ["another name of the interface", "docs/page.md", "The service's contract.", ["1:5 service's contract"]],
  ["an ID in small letters", "src/a.ts", 'throw new Error("The request id is 1.");', ["1:22 request id"]],
  ["the name of a parameter", "src/a.ts", "const a = ({ b: chance }: B) => 1;", ["1:17 chance"]],
])("a word outside of the glossary is found in %s", async (_, path, content, expected) => {
  const found = await lintProse(path, content);
  expect(found.map((line) => line.replace(/^.*?:(\d+:\d+) .*?“(.*?)”.*/, "$1 $2"))).toEqual(expected);
});

test.each([
  ["code of a page", "docs/page.md", "Call `answer`:\n\n```ts\nanswer();\n```"],
  ["a module, and the text of a user", "docs/page.md", "The `src/contract` of a description of the song."],
  ["code in a docstring", "src/a.ts", "/**\n * Calls `answer`:\n * ```ts\n * answer();\n * ```\n */"],
  [
    "a value, and a name of another file",
    "src/a.ts",
    'import { answer } from "b";\nconst a = answer("room");',
  ],
  ["an ID, and the name of one", "src/a.ts", "/** The request ID. */\nconst requestId = 1;"],
  ["a sense that is not meant", "docs/page.md", "A request in flight, by chance. People who wait in place."],
])("%s is not checked", async (_, path, content) => {
  expect(await lintProse(path, content)).toEqual([]);
});

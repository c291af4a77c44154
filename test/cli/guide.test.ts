import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { COMMAND_OPTIONS } from "../../cli/flags.js";
import { inputOptionsOf } from "../../cli/input-options.js";
import { createEmulator } from "../../emulator/index.js";
import { DESCRIBED_INPUTS, toolNames } from "../../src/contract/input-texts.js";
import { createFolder, createTerminal } from "./support/terminal.js";

type Command = keyof typeof COMMAND_OPTIONS;
const COMMANDS = Object.keys(COMMAND_OPTIONS) as Command[];

const SHOWN = ["docs/cli.md", "README.md"].flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(/^```sh shell\n([\s\S]*?)^```$/gm)].flatMap(([, code = ""]) =>
    code.split("\n").flatMap((line) => /async-music (?:run|wait|balance|usage)\b.*/.exec(line) ?? []),
  ),
);

const CLIP_FLAGS = inputOptionsOf()
  .filter(({ field, usedBy }) => usedBy.some(({ fields }) => fields[field]?.clipOf !== undefined))
  .map(({ option }) => `${option.long} `);

describe("a command in the guides", () => {
  test.each(SHOWN)("succeeds: %s", async (line) => {
    await using emulator = createEmulator();
    const folder = await createFolder();
    const stdin = JSON.stringify({ model: "provider_a", task_type: "lyrics", input: { prompt: "sea" } });
    const { run } = createTerminal(emulator, { stdin });
    await writeFile(`${folder}/request.json`, stdin);
    const [, ...args] = wordsOf(
      line.replace("songs.journal", `${folder}/journal`).replace("request.json", `${folder}/request.json`),
    );
    const saves = args[0] === "run" && !args.includes("--no-wait");
    const { status, stderr } = await run(...args, ...(saves ? ["--no-download"] : []));
    // Files and clips that are shown for a reader's own are not there.
    const isMissing = [" wait ", ...CLIP_FLAGS].some((word) => line.includes(word));
    expect({ status: isMissing && status !== 2 ? 0 : status, stderr }).toMatchObject({ status: 0 });
  });

  test("is found", () => {
    expect(SHOWN.length).toBeGreaterThan(10);
  });
});

describe("docs/cli.md describes each command", () => {
  const page = readFileSync("docs/cli.md", "utf8");
  const [, json = ""] = /## JSON(.*?)## Exit statuses/s.exec(page) ?? [];
  /** The names of the first column of each table. */
  const rowsOf = (text: string) => [...text.matchAll(/^\| ([^|]*)/gm)].map(([, cell = ""]) => cell);
  const commandRows = rowsOf(page).filter((cell) => cell.startsWith("`async-music"));
  const sentences = page.split("\n\n").flatMap((part) => part.replace(/\s+/g, " ").split(/(?<=\.) /));
  const sentenceWith = (words: string) => sentences.find((each) => each.includes(words));
  const has = (name: Command, flag: string) =>
    COMMAND_OPTIONS[name].some(({ long }: { long?: string | null }) => long === flag);
  const without = (flag: string) => COMMANDS.filter((name) => !has(name, flag)).map((name) => `\`${name}\``);

  test.each(COMMANDS)("%s: what it does, and its document of JSON", (name) => {
    expect(commandRows).toContainEqual(expect.stringMatching(new RegExp(`^\`async-music ${name}[ \`]`)));
    if (has(name, "--json"))
      expect(rowsOf(json)).toContainEqual(expect.stringMatching(new RegExp(`\`${name}[ \`]`)));
  });

  test("which commands do not accept `--base-url` and `--json`", () => {
    const [first, second] = [sentenceWith("accept `--base-url`"), sentenceWith("accept `--json`")];
    expect(first).toContain(`All commands except ${andList(without("--base-url"))} accept \`--base-url\`.`);
    expect(second).toContain(`all commands except ${andList(without("--json"))} accept \`--json\`.`);
  });
});

test.each(toolNames())("docs/agents.md has a row with the prices of %s", (name) => {
  const page = readFileSync("docs/agents.md", "utf8");
  const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`)) ?? "no row";
  const prices = DESCRIBED_INPUTS.flatMap(({ texts, credits }) => (texts.tool === name ? credits : []));
  for (const price of prices) expect(row).toMatch(new RegExp(`\\| [^|]*\\b${price}\\b[^|]* \\|$`));
});

function andList(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** As a shell splits a simple command, up to where its output goes. */
function wordsOf(line: string): string[] {
  const [command = ""] = line.split(/ (?:[>|]|;;)|\)$/);
  return [...command.matchAll(/"((?:\$\([^)]*\)|[^"])*)"|(\S+)/g)].map(
    ([, quoted, bare = ""]) => quoted ?? bare,
  );
}

import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { createEmulator } from "../../emulator/index.js";
import { createFolder, createTerminal } from "./support/terminal.js";

const SHOWN = ["docs/cli.md", "README.md"].flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(/^```sh shell\n([\s\S]*?)^```$/gm)].flatMap(([, code = ""]) =>
    code.split("\n").flatMap((line) => /async-music (?:run|wait|balance|usage)\b.*/.exec(line) ?? []),
  ),
);

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
    const isMissing = /--(continue-)?clip-id| wait/.test(line);
    expect({ status: isMissing && status !== 2 ? 0 : status, stderr }).toMatchObject({ status: 0 });
  });

  test("is found", () => {
    expect(SHOWN.length).toBeGreaterThan(10);
  });
});

/** As a shell splits a simple command, up to where its output goes. */
function wordsOf(line: string): string[] {
  const [command = ""] = line.split(/ (?:[>|]|;;)|\)$/);
  return [...command.matchAll(/"((?:\$\([^)]*\)|[^"])*)"|(\S+)/g)].map(
    ([, quoted, bare = ""]) => quoted ?? bare,
  );
}

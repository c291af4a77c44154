import { spawnSync } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { createEmulator } from "../../emulator/index.js";
import { createFolder, createTerminal } from "./support/terminal.js";

async function complete(...words: string[]): Promise<string[]> {
  const { stdout } = await createTerminal(createEmulator()).run("complete", "--", ...words);
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

describe("a shell is offered", () => {
  test.each([
    [[""], ["run", "wait", "orders", "settle", "balance", "usage", "emulator", "completion", "help"]],
    [["ru"], ["run"]],
    [["--v"], ["--version"]],
    [
      ["run", ""],
      ["music", "lyrics", "upload", "concat"],
    ],
    [["run", "l"], ["lyrics"]],
    [["run", "--title", "a", "u"], ["upload"]],
    [
      ["run", "--lyr"],
      ["--lyrics", "--lyrics-type"],
    ],
    [["run", "lyrics", "--prom"], ["--prompt"]],
    [
      ["run", "--no-"],
      ["--no-wait", "--no-download"],
    ],
    [
      ["run", "--model", ""],
      ["provider_a", "provider_b"],
    ],
    [
      ["run", "--model-version", "v5"],
      ["v5.5", "v5"],
    ],
    [["emulator", "--clock", "v"], ["virtual"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
  ])("behind %j %j", async (words, offered) => {
    expect(await complete(...words)).toEqual(offered);
  });

  test.each([
    [["run", "--file", ""]],
    [["run", "-o", ""]],
    [["run", "lyrics", ""]],
    [["wait", ""]],
    [["emulator", "--", "npm", ""]],
    [["nothing", ""]],
    [["run", "--api"]],
  ])("nothing behind %j, so that it offers files", async (words) => {
    expect(await complete(...words)).toEqual([]);
  });

  test("each word with what it means", async () => {
    const { stdout } = await createTerminal(createEmulator()).run("complete", "--", "bal");
    expect(stdout).toBe("balance\tshow the account's credits\n");
  });
});

const isThere = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

/** Runs a shell's script with `async-music` on its path. */
async function runShell(shell: string, script: string): Promise<string> {
  const folder = await createFolder();
  const command = `#!/bin/sh\nexec "${process.execPath}" "${resolve("dist/cli.js")}" "$@"\n`;
  await writeFile(`${folder}/async-music`, command);
  await chmod(`${folder}/async-music`, 0o755);
  const env = { ...process.env, LC_ALL: "C", HOME: folder, PATH: `${folder}:${process.env["PATH"]}` };
  const { stdout, stderr } = spawnSync(shell, ["-c", script], { encoding: "utf8", env });
  expect(stderr).toBe("");
  return stdout;
}

test.skipIf(!isThere("bash"))("bash takes its script", async () => {
  const script = `
    eval "$(async-music completion bash)"
    COMP_WORDS=(async-music run --lyr); COMP_CWORD=2
    _async_music
    echo "\${COMPREPLY[@]}"`;
  expect(await runShell("bash", script)).toBe("--lyrics --lyrics-type\n");
});

test.skipIf(!isThere("fish"))("fish takes its script", async () => {
  const script = `
    async-music completion fish | source
    complete -C "async-music run l"`;
  expect(await runShell("fish", script)).toBe("lyrics\n");
});

test.skipIf(!isThere("zsh"))("zsh takes its script", async () => {
  // Completion proper needs a terminal: what it would show is written instead.
  const script = `
    autoload -Uz compinit && compinit -D
    eval "$(async-music completion zsh)"
    _describe() { print -l -- "\${candidates[@]}" }
    words=(async-music run l); CURRENT=3
    _async_music`;
  expect(await runShell("zsh", script)).toBe("lyrics:\n");
});

import { Argument, Command } from "commander";
import type { Surroundings } from "../terminal/surroundings.js";

/** `async-music completion` */
export function completionCommand({ stdout }: Surroundings): Command {
  return new Command("completion")
    .summary("complete commands and flags in your shell")
    .description("Write a script that makes a shell complete the commands and flags.")
    .addArgument(new Argument("<shell>", "which shell").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      `
For now, in bash:
  source <(async-music completion bash)

For always, in bash, zsh or fish:
  async-music completion bash >> ~/.bashrc
  async-music completion zsh >> ~/.zshrc
  async-music completion fish \\
    > ~/.config/fish/completions/async-music.fish`,
    )
    .action(async (shell: "bash" | "zsh" | "fish") => {
      const { SCRIPTS } = await import("../shell/scripts.js");
      stdout.write(SCRIPTS[shell]);
    });
}

/** `async-music complete`, which those scripts ask: it is given the words behind the command, the last one unfinished. */
export function completeCommand(program: Command, { stdout }: Surroundings): Command {
  return new Command("complete").argument("[words...]").action(async (words: readonly string[]) => {
    const { complete } = await import("../shell/complete.js");
    for (const { word, meaning } of complete(program, words)) stdout.write(`${word}\t${meaning}\n`);
  });
}

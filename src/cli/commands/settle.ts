import { Command } from "commander";
import type { SettleFlags } from "../flags.js";
import type { Surroundings } from "../terminal/surroundings.js";

/** `async-music settle` */
export function settleCommand(surroundings: Surroundings): Command {
  return new Command("settle")
    .summary("say what became of a request whose answer was lost")
    .description(
      "Say what became of a request whose answer was lost, in the journal that keeps its key. Nothing is sent.",
    )
    .argument("<key>", "the --key of `async-music run`")
    .requiredOption("--journal <path>", "the journal that holds the key")
    .option("--task-id <id>", "the task that was created: the key stands for it from now on")
    .option("--not-created", "there is no such task: the key is free again")
    .addHelpText(
      "after",
      `
The next \`run\` with the key waits for the task, or makes a
new one and pays for it.

  async-music settle rain --journal j --not-created`,
    )
    .action(async (key: string, flags: SettleFlags) => {
      const { settleKey } = await import("../tasks/settle-key.js");
      await settleKey(key, flags, surroundings);
    });
}

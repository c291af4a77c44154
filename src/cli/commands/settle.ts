import { Command } from "commander";
import type { SettleFlags } from "../flags.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { addConnectionOptions } from "./connection-options.js";

/** `async-music settle` */
export function settleCommand(surroundings: Surroundings): Command {
  const command = new Command("settle")
    .summary("say what became of a request whose answer was lost")
    .description(
      "Say what became of a request whose answer was lost, in the journal that keeps its key. A task is read once from the service before its id is recorded.",
    )
    .argument("<key>", "the --key of `async-music run`")
    .requiredOption("--journal <path>", "the journal that holds the key")
    .option("--task-id <id>", "the task that was created: the key stands for it from now on")
    .option("--not-created", "there is no such task: the key is free again")
    .option("--offline", "record the id without reading the task from the service");
  return addConnectionOptions(command)
    .addHelpText(
      "after",
      `
The next \`run\` with the key waits for the task, or makes a
new one and pays for it. Make sure that no \`run\` with the
key is still sending. Settle again to correct a mistake; an
id that the service returned for the key is never replaced.

  async-music settle rain --journal j --not-created`,
    )
    .action(async (key: string, flags: SettleFlags) => {
      const { settleKey } = await import("../tasks/settle-key.js");
      await settleKey(key, flags, surroundings);
    });
}

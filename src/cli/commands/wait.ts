import { Command } from "commander";
import type { WaitFlags } from "../flags.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { addWaitOptions } from "./wait-options.js";

/** `async-music wait` */
export function waitCommand(surroundings: Surroundings): Command {
  const command = new Command("wait")
    .summary("wait for a task, and save what it made")
    .description("Wait for a task that was submitted before, and save what it made. This costs nothing.")
    .argument("<task-id>", "the id that `async-music run` told");
  return addWaitOptions(command)
    .addHelpText(
      "after",
      `
A task may be over already: its audio is kept for seven days.

  async-music wait 0b9f3c2e-6a4d-4f3b-9a51-2f0c8b6d7e10`,
    )
    .action(async (taskId: string, flags: WaitFlags) => {
      const { waitForTask } = await import("../tasks/wait-for-task.js");
      await waitForTask(taskId, flags, surroundings);
    });
}

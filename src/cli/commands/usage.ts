import { Command } from "commander";
import type { ConnectionFlags } from "../flags.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { addConnectionOptions } from "./connection-options.js";

/** `async-music usage` */
export function usageCommand(surroundings: Surroundings): Command {
  return addConnectionOptions(new Command("usage"))
    .summary("show what the account has used")
    .description(
      "Show how many tasks the account has created, and what it has used and topped up, since it exists.",
    )
    .action(async (flags: ConnectionFlags) => {
      const { showUsage } = await import("../account/show-account.js");
      await showUsage(flags, surroundings);
    });
}

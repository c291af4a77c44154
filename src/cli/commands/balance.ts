import { Command } from "commander";
import type { ConnectionFlags } from "../flags.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { addConnectionOptions } from "./connection-options.js";

/** `async-music balance` */
export function balanceCommand(surroundings: Surroundings): Command {
  return addConnectionOptions(new Command("balance"))
    .summary("show the account's credits")
    .description("Show the credits that the account has, and those that are frozen for tasks under way.")
    .action(async (flags: ConnectionFlags) => {
      const { showBalance } = await import("../account/show-account.js");
      await showBalance(flags, surroundings);
    });
}

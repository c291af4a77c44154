import { Command } from "commander";
import type { OrdersFlags } from "../flags.js";
import type { Surroundings } from "../terminal/surroundings.js";

/** `async-music orders` */
export function ordersCommand(surroundings: Surroundings): Command {
  return new Command("orders")
    .summary("list the open keys of a journal")
    .description(
      "List the keys of a journal whose request has an unknown outcome, or whose task no run has finished. Nothing is sent.",
    )
    .requiredOption("--journal <path>", "the journal to list")
    .option("--json", "write one JSON document to stdout, for an error too")
    .action(async (flags: OrdersFlags) => {
      const { showOrders } = await import("../tasks/show-orders.js");
      await showOrders(flags, surroundings);
    });
}

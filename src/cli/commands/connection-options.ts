import { type Command, Option } from "commander";
import { UsageError } from "../usage-error.js";

/** A command that talks to the service. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option("--base-url <url>", "the service address (default: ASYNC_MUSIC_BASE_URL)")
    .option("--json", "write one JSON document to stdout, for an error too")
    .addOption(new Option("--api-key [key]").hideHelp().argParser(refuseKey));
}

/** A key in a wrong place is told so, instead of being named in an error about an unknown option. */
function refuseKey(): never {
  throw new UsageError(
    "Expected no --api-key: everyone on this machine could read it in the list of processes. Set ASYNC_MUSIC_API_KEY",
  );
}

import { Command, Option } from "commander";
import { wholeNumber } from "../parsers.js";
import { shellWord } from "../shell-word.js";
import { UsageError } from "../usage-error.js";

/**
 * `async-music emulator`
 *
 * @param command - What stood behind `--`, which is not ours to understand; `null` where there was no `--`.
 */
export function emulatorCommand(command: readonly string[] | null): Command {
  return new Command("emulator")
    .summary("run the whole service on this machine")
    .description("Run the whole service on this machine. It bills nobody.")
    .usage("[options] [-- <command> [args...]]")
    .option(
      "--port <port>",
      "port to listen on; 0 takes a free one (default: 4010, and a free one for a command)",
      wholeNumber(0, 65_535),
    )
    .option("--host <host>", "address to listen on; 0.0.0.0 or :: for all of this machine's", "127.0.0.1")
    .addOption(
      new Option(
        "--control-host <name>",
        "host name under which other machines may use the control plane and the dashboard, without a key; can be repeated",
      ).argParser((name: string, names: string[] = []) => [...names, name]),
    )
    .addOption(
      new Option("--clock <clock>", "real: ticks with the wall; virtual: moves only when it is advanced")
        .choices(["real", "virtual"])
        .default("real"),
    )
    .option("--seed <n>", "what all ids, times and songs come from", wholeNumber())
    .option("--credits <n>", "credits of the first account", wholeNumber(0))
    .option("--api-key <key>", "API key of the first account; it begins with emu_")
    .option(
      "--state <file>",
      "go on from the state in this file, and save it there in the end; where it exists, --seed and --credits are refused, and --api-key replaces the first account's key",
    )
    .option("--json", "write one line of JSON once connections are accepted", false)
    .addHelpText(
      "after",
      `
Behind -- stands a command to run against a fresh emulator,
with ASYNC_MUSIC_BASE_URL and ASYNC_MUSIC_API_KEY set. The
emulator ends with it, and with its exit status:

  async-music emulator -- npm test`,
    )
    .allowExcessArguments()
    .action(async (options, { args }: Command) => {
      if (args.length > 0)
        throw new UsageError(`Expected \`--\` before a command to run: ${behindDashes(args)}`);
      if (command?.length === 0) throw new UsageError("Expected a command behind `--`");
      const { runEmulator } = await import("../emulator/run-emulator.js");
      process.exit(await runEmulator(options, command).catch(asMisuse));
    });
}

function behindDashes(args: readonly string[]): string {
  return `async-music emulator -- ${args.map(shellWord).join(" ")}`;
}

/** What the emulator finds out of range was a flag. */
function asMisuse(error: unknown): never {
  if (!(error instanceof RangeError)) throw error;
  throw new UsageError(
    error.message.replace(/^Expected `(\w+)`/, (_, name: string) => `Expected ${flagOf(name)}`),
  );
}

function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

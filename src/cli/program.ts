import { Command, InvalidArgumentError, Option } from "commander";

/**
 * The command line: what can be asked, and how it is explained.
 *
 * @param command - What stood behind `--`, which is not ours to understand; `null` where there was no `--`.
 */
export function createProgram(command: readonly string[] | null): Command {
  const program = new Command("async-music").description(
    "The music service's emulator, for your tests and your terminal.",
  );
  return configure(program).addCommand(configure(emulatorCommand(command)));
}

function emulatorCommand(command: readonly string[] | null): Command {
  return new Command("emulator")
    .description("Run the whole service on this machine. It bills nobody.")
    .usage("[options] [-- <command> [args...]]")
    .option(
      "--port <port>",
      "port to listen on; 0 takes a free one (default: 4010, and a free one for a command)",
      wholeNumber(0, 65_535),
    )
    .option("--host <host>", "address to listen on; 0.0.0.0 or :: for all of this machine's", "127.0.0.1")
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
Behind -- stands a command to run against a fresh emulator, with ASYNC_MUSIC_BASE_URL and
ASYNC_MUSIC_API_KEY set. The emulator ends with it, and with its exit status:

  async-music emulator --clock virtual -- npm test`,
    )
    .action(async (options) => {
      if (command?.length === 0) throw new RangeError("Expected a command behind `--`");
      const { runEmulator } = await import("./run-emulator.js");
      process.exit(await runEmulator(options, command));
    });
}

/** One line for each error, and our own exit statuses. */
function configure(command: Command): Command {
  return command
    .allowExcessArguments(false)
    .showSuggestionAfterError(false)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "async-music: ")) })
    .exitOverride();
}

function wholeNumber(
  least = Number.MIN_SAFE_INTEGER,
  most = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    const range =
      least === Number.MIN_SAFE_INTEGER
        ? ""
        : most === Number.MAX_SAFE_INTEGER
          ? ` of ${least} or more`
          : ` from ${least} to ${most}`;
    throw new InvalidArgumentError(`Expected a whole number${range}.`);
  };
}

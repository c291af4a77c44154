import { Command, CommanderError } from "commander";
import { balanceCommand } from "./commands/balance.js";
import { completeCommand, completionCommand } from "./commands/completion.js";
import { emulatorCommand } from "./commands/emulator.js";
import { ordersCommand } from "./commands/orders.js";
import { runTaskCommand } from "./commands/run.js";
import { settleCommand } from "./commands/settle.js";
import { usageCommand } from "./commands/usage.js";
import { waitCommand } from "./commands/wait.js";
import { EXIT_STATUS } from "./exit-status.js";
import { packageVersion } from "./package-version.js";
import { coloured, hasColour } from "./terminal/colour.js";
import type { Output, Surroundings } from "./terminal/surroundings.js";
import { withoutKey } from "./terminal/without-key.js";

/** Longer lines than this are no pleasure to read. */
const WIDEST_HELP = 100;

const HELP = `
First steps, with nothing billed:
  async-music emulator
      the service on this machine; do as it says, and then
  async-music run -d "rain in Lisbon"
      a song, saved in this folder

Environment:
  ASYNC_MUSIC_API_KEY    your API key; no flag takes it, where
                         others on this machine could read it
  ASYNC_MUSIC_BASE_URL   the address without /api/v1
  NO_COLOR, FORCE_COLOR  never colour, always colour

Results go to stdout, everything else to stderr. Each kind of
error has an exit status of its own.`;

/** Does what the arguments say, to its end, and answers the exit status. */
export async function runProgram(args: readonly string[], around: Surroundings): Promise<number> {
  const isEmulator = args[0] === "emulator";
  // An emulator's key is no secret: it is there to be shown.
  const surroundings = isEmulator ? around : withoutKey(around);
  const end = isEmulator ? args.indexOf("--") : -1;
  const [own, command] = end < 0 ? [args, null] : [args.slice(0, end), args.slice(end + 1)];
  try {
    await createProgram(command, surroundings).parseAsync(own, { from: "user" });
    return EXIT_STATUS.done;
  } catch (error) {
    if (error instanceof CommanderError && /^commander\.(help|version)/.test(error.code)) {
      return error.exitCode === 0 ? EXIT_STATUS.done : EXIT_STATUS.misused;
    }
    const { report } = await import("./report.js");
    return report(error, !isEmulator && own.includes("--json"), surroundings);
  }
}

/** The command line: what can be asked, and how it is explained. */
function createProgram(command: readonly string[] | null, surroundings: Surroundings): Command {
  const program = new Command("async-music")
    .description(
      "Songs, lyrics and audio from the music service, each paid for once; and the service itself, to try it.",
    )
    .version(packageVersion(), "-V, --version", "write the version")
    .helpCommand("help [command]", "explain a command")
    .addHelpText("after", HELP);
  const commands = [
    runTaskCommand(surroundings),
    waitCommand(surroundings),
    ordersCommand(surroundings),
    settleCommand(surroundings),
    balanceCommand(surroundings),
    usageCommand(surroundings),
    emulatorCommand(command),
    completionCommand(surroundings),
  ];
  for (const each of commands) program.addCommand(configure(each, surroundings));
  const complete = configure(completeCommand(program, surroundings), surroundings);
  return configure(program.addCommand(complete, { hidden: true }), surroundings);
}

/** Everything is written to these surroundings, errors by `report`; and no exit but by an error. */
function configure(command: Command, { env, stdout, stderr }: Surroundings): Command {
  const widthOf = ({ columns }: Output) => Math.min(columns, WIDEST_HELP);
  return command
    .helpOption("-h, --help", "explain this command")
    .configureHelp({
      minWidthToWrap: 20,
      styleTitle: (text) => coloured("bold", text),
      styleOptionTerm: (text) => coloured("cyan", text),
      styleSubcommandTerm: (text) => coloured("cyan", text),
    })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      getOutHasColors: () => hasColour(stdout, env),
      getErrHasColors: () => hasColour(stderr, env),
    })
    .exitOverride();
}

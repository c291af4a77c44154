import { createRequire } from "node:module";
import { Command, CommanderError } from "commander";
import { addCommands } from "./commands.js";
import { hasColor, type Output, redactKey, styled, type Terminal } from "./terminal.js";

const MAX_HELP_WIDTH = 100;

const HELP = `
To try it without being charged:
  async-music emulator
      runs the service on this machine; set the two
      variables that it prints in another shell, then
  async-music run -d "rain in Lisbon"
      saves a song in this directory

Environment:
  ASYNC_MUSIC_API_KEY    your API key; there is no flag for
                         it, which other users could read
  ASYNC_MUSIC_BASE_URL   the service address, without /api/v1
  NO_COLOR, FORCE_COLOR  never use color, always use color

Results go to stdout, everything else to stderr. Each kind of
error has its own exit status.`;

/** Runs the command line. Returns the exit status. */
export async function runProgram(args: readonly string[], given: Terminal): Promise<number> {
  const isEmulator = args[0] === "emulator";
  // The emulator's key is no secret: it prints it.
  const terminal = isEmulator ? given : redactKey(given);
  const dashes = isEmulator ? args.indexOf("--") : -1;
  const own = dashes < 0 ? args : args.slice(0, dashes);
  try {
    const program = createProgram(terminal);
    addCommands(program, terminal, dashes < 0 ? null : args.slice(dashes + 1));
    await program.parseAsync(own, { from: "user" });
    return 0;
  } catch (error) {
    // Without a command, commander writes the help to stderr: a misuse.
    if (error instanceof CommanderError && /^commander\.(help|version)/.test(error.code))
      return error.exitCode === 0 ? 0 : 2;
    const { report } = await import("./report.js");
    return report(error, !isEmulator && own.includes("--json"), terminal);
  }
}

/** Commands inherit these settings: everything is written to the terminal, and errors are thrown for `report`. */
function createProgram({ env, stdout, stderr }: Terminal): Command {
  const widthOf = (output: Output) => Math.min(output.columns(), MAX_HELP_WIDTH);
  return new Command("async-music")
    .description("Make songs, lyrics and audio with the music service, or run the service on this machine.")
    .version(packageVersion(), "-V, --version", "write the version")
    .helpOption("-h, --help", "explain this command")
    .helpCommand("help [command]", "explain a command")
    .addHelpText("after", HELP)
    .configureHelp({
      minWidthToWrap: 20,
      styleTitle: (text) => styled("bold", text),
      styleOptionTerm: (text) => styled("cyan", text),
      styleSubcommandTerm: (text) => styled("cyan", text),
    })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      getOutHasColors: () => hasColor(stdout, env),
      getErrHasColors: () => hasColor(stderr, env),
    })
    .exitOverride();
}

/** The package finds itself by its name, wherever the built files are. */
function packageVersion(): string {
  const { version }: { version: string } = createRequire(import.meta.url)("async-music/package.json");
  return version;
}

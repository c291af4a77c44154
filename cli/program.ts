import { createRequire } from "node:module";
import { Command, CommanderError } from "commander";
import { DESCRIBED_INPUTS, type DescribedInput } from "../src/contract/inputs.js";
import type { TaskType } from "../src/contract/service.js";
import type { EmulatorFlags } from "./emulator.js";
import { exampleFlags, exampleOf, OPTIONS, parseTaskType, type RunFlags } from "./flags.js";
import {
  commandName,
  hasColor,
  type Output,
  redactKey,
  shellWord,
  styled,
  type Terminal,
  UsageError,
} from "./terminal.js";

const MAX_HELP_WIDTH = 100;

const helpFor = (command: string) => `
To try it without a charge:
  ${command} emulator
      runs the service on this machine; set the two
      variables that it prints in another shell, then
  ${command} run -d "rain in Lisbon"
      saves a song in this directory

Environment:
  ASYNC_MUSIC_API_KEY    your API key; not a flag, because
                         other users can read flags
  ASYNC_MUSIC_BASE_URL   the service address, without /api/v1
  NO_COLOR, FORCE_COLOR  never use color, always use color

Results are written to stdout, everything else to stderr.
Each kind of error has its own exit status.`;

const runHelpFor = (command: string) => `
Examples, with the price in credits of 0.01 USD:
${DESCRIBED_INPUTS.map(exampleLines).join("\n")}

The paths of the files are written to stdout, one per line.

The request is sent once. Ctrl-C stops waiting; the task
continues, and the command prints how to wait for it again.
With --journal and --key you can repeat the same command at
any time. It continues with its task and is charged once. If
it saved its result to --out FILE, add --force:

  ${command} run -d "rain" \\
    --journal songs.journal --key rain`;

function exampleLines(input: DescribedInput): string {
  const { model, task_type: type, credits, texts } = input;
  const flags = exampleFlags(input);
  const words = [
    type === "music" ? [] : type,
    model === "provider_a" ? [] : `--model ${model}`,
    flags,
  ].flat();
  return `${String(credits).padStart(4)}  run ${words.join(" ")}\n      ${texts.result}`;
}

const WAIT_HELP = "\nThe task may have ended. Its audio is available for 7 days.";

const settleHelpFor = (command: string) => `
Before you use --not-created, make sure that no run with the
key is still sending: the next run is charged. A request that
is less than 2 minutes old needs --force. Settle again to
correct a mistake. An ID that the service returned for the
key is never replaced.

  ${command} settle rain --journal j --not-created`;

const driftHelpFor = (command: string) => `
It usually takes 6 to 33 minutes. A task that does not end
is read for 65 minutes. Use an account that no other program
uses meanwhile. A request is only sent if its price fits
into --max-credits. The check stops when more is gone from
the balance, so a service that charges more than its prices
can take too much with one request. A POST is never repeated
after its outcome became unknown.

Exit status:
  0  no drift; also if probes were skipped because their
     price did not fit. The first line names their number
  1  drift, whatever else happened
  2  no drift was found, but the check could not be run, a
     probe has no result, or the account changed meanwhile
After Ctrl-C it is 130, and the report shows what is known.

  ${command} drift --report drift.md`;

const mcpHelpFor = (command: string) => `
The tools are make_song, write_lyrics, continue_song,
check_order, download_audio and balance. MCP clients start
the command with stdin and stdout connected to them.
It needs the package @modelcontextprotocol/sdk:

  npm install @modelcontextprotocol/sdk
  ${command} mcp --max-credits 50 --journal orders`;

const emulatorHelpFor = (command: string) => `
A command after -- runs against a new emulator, with
ASYNC_MUSIC_BASE_URL and ASYNC_MUSIC_API_KEY set. The
emulator ends with it and returns its exit status:

  ${command} emulator -- npm test`;

/** Runs the command line. Returns the exit status. */
export async function runProgram(args: readonly string[], given: Terminal): Promise<number> {
  const isEmulator = args[0] === "emulator";
  // The emulator's key is no secret: it prints it.
  const terminal = isEmulator ? given : redactKey(given);
  const dashes = isEmulator ? args.indexOf("--") : -1;
  const own = dashes < 0 ? args : args.slice(0, dashes);
  try {
    const program = createProgram(terminal);
    let exitStatus = 0;
    addCommands(program, terminal, dashes < 0 ? null : args.slice(dashes + 1), (status) => {
      exitStatus = status;
    });
    await program.parseAsync(own, { from: "user" });
    return exitStatus;
  } catch (error) {
    // Without a command, commander writes the help to stderr: a misuse.
    if (error instanceof CommanderError && /^commander\.(help|version)/.test(error.code))
      return error.exitCode === 0 ? 0 : 2;
    const { report } = await import("./report.js");
    return report(error, !isEmulator && own.includes("--json"), terminal);
  }
}

/** Commands inherit these settings: everything is written to the terminal, and errors are thrown for `report`. */
function createProgram(terminal: Terminal): Command {
  const { env, stdout, stderr } = terminal;
  const widthOf = (output: Output) => Math.min(output.columns(), MAX_HELP_WIDTH);
  return new Command(commandName(terminal))
    .description("Create songs and lyrics with the music service, or run the service on this machine.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help for this command")
    .helpCommand("help [command]", "Print help for a command.")
    .addHelpText("after", helpFor(commandName(terminal)))
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

/**
 * Adds all commands. What a command does is loaded when it runs, so that the help starts fast.
 *
 * @param operands - What follows `--` after `emulator`; `null` without it.
 * @param exitWith - Receives the exit status of a command that has more than one without an error.
 */
export function addCommands(
  program: Command,
  terminal: Terminal,
  operands: readonly string[] | null,
  exitWith: (status: number) => void = () => {},
): void {
  const name = commandName(terminal);
  const add = (command: keyof typeof OPTIONS, description: string, help = "") => {
    const added = program.command(command).description(description).addHelpText("after", help);
    for (const option of OPTIONS[command]) added.addOption(option);
    return added;
  };

  add("run", "Create a song, lyrics or a clip, and save it. Costs credits.", runHelpFor(name))
    .argument("[type]", "music, lyrics, upload or concat (default: music)", parseTaskType)
    .allowExcessArguments()
    .action(async (type: TaskType | undefined, flags: RunFlags, { args }: Command) => {
      if (args.length > 1)
        throw new UsageError(
          `\`run\` takes only the type. Describe the result with a flag: ${exampleOf(type, flags.model)}`,
        );
      await (await import("./run.js")).runTask(type, flags, terminal);
    });

  add("wait", "Wait for an existing task, and save its result. Costs nothing.", WAIT_HELP)
    .argument("<task-id>", "the ID that `run` printed")
    .action(async (id, flags) => (await import("./run.js")).waitForTask(id, flags, terminal));

  add(
    "orders",
    "List the open keys of a journal: tasks that have not ended, and requests with an unknown outcome.",
  ).action(async (flags) => (await import("./journal.js")).showOrders(flags, terminal));

  add("settle", "Record the outcome of a request whose response was lost.", settleHelpFor(name))
    .argument("<key>", "the --key of the `run`")
    .action(async (key, flags) => (await import("./journal.js")).settleKey(key, flags, terminal));

  add("balance", "Show the credits of the account. Frozen ones are held for unfinished tasks.").action(
    async (flags) => (await import("./account.js")).showBalance(flags, terminal),
  );

  add("usage", "Show the tasks and credits that the account has used.").action(async (flags) =>
    (await import("./account.js")).showUsage(flags, terminal),
  );

  add("drift", "Compare the service with the emulator. Costs credits.", driftHelpFor(name)).action(
    async (flags) => {
      const { checkDrift } = await import("./drift/drift.js");
      exitWith(await checkDrift(flags, packageVersion(), terminal));
    },
  );

  add("mcp", "Serve tools for agents, with the Model Context Protocol on stdio.", mcpHelpFor(name)).action(
    async (flags) => (await import("./mcp/server.js")).serveMcp(flags, packageVersion(), terminal),
  );

  add("emulator", "Run the service on this machine. Nothing is charged.", emulatorHelpFor(name))
    .usage("[options] [-- <command> [args...]]")
    .allowExcessArguments()
    .action(async (flags: EmulatorFlags, { args }: Command) => {
      if (args.length > 0)
        throw new UsageError(
          `Missing \`--\` before the command: ${name} emulator -- ${args.map(shellWord).join(" ")}`,
        );
      if (operands?.length === 0) throw new UsageError("Missing command after `--`.");
      process.exit(await (await import("./emulator.js")).runEmulator(flags, operands));
    });
}

import { createRequire } from "node:module";
import { Command, CommanderError } from "commander";
import { orList } from "../src/contract/request-rules.js";
import { TASK_TYPES, type TaskType } from "../src/contract/service.js";
import { nearestName } from "../src/contract/text.js";
import type { CertifyFlags } from "./certify/certify.js";
import { checkFlags } from "./check-flags.js";
import type { EmulatorFlags } from "./emulator.js";
import { COMMAND_OPTIONS, parseTaskType, type RunFlags } from "./flags.js";
import { COMMAND_HELP, programHelp } from "./help.js";
import { exampleOf } from "./input-options.js";
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

/** The commands that run another command, which follows `--`. */
const COMMANDS_WITH_OPERANDS = ["emulator", "certify"];

/** Runs the command line. Returns the exit status. */
export async function runProgram(args: readonly string[], given: Terminal): Promise<number> {
  const [command = ""] = args;
  const isEmulator = command === "emulator";
  // The emulator's key is no secret: it prints it.
  const terminal = isEmulator ? given : redactKey(given);
  const dashes = COMMANDS_WITH_OPERANDS.includes(command) ? args.indexOf("--") : -1;
  const own = dashes < 0 ? args : args.slice(0, dashes);
  try {
    for (const [name, options] of Object.entries(COMMAND_OPTIONS))
      if (name === command) checkFlags(options, own.slice(1));
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
    const isUnknown = error instanceof CommanderError && error.code === "commander.unknownOption";
    const { report } = await import("./report.js");
    return report(
      isUnknown ? unknownOption(command, own, terminal) : error,
      !isEmulator && own.includes("--json"),
      terminal,
    );
  }
}

/** Commander's message repeats the value of an unknown option, which may be the key. This one has the name only. */
function unknownOption(command: string, args: readonly string[], terminal: Terminal): UsageError {
  const parser = new Command();
  for (const [name, options] of Object.entries(COMMAND_OPTIONS))
    if (name === command) for (const option of options) parser.addOption(option);
  const { operands, unknown } = parser.parseOptions([...args]);
  const [, word] = operands;
  if (word !== undefined && COMMANDS_WITH_OPERANDS.includes(command))
    return missingDashes(`${command} -- ${shellWord(word)} …`, terminal);
  const flag = args.find((arg) => arg === unknown[0])?.split("=")[0] ?? "";
  const meant = nearestName(flag, ["--help", ...parser.options.flatMap(({ long }) => long ?? [])]);
  return new UsageError(`Unknown option '${flag}'.${meant === null ? "" : ` (Did you mean ${meant}?)`}`);
}

function missingDashes(meant: string, terminal: Terminal): UsageError {
  return new UsageError(`Missing \`--\` before the command: ${commandName(terminal)} ${meant}`);
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
    .addHelpText("after", programHelp(commandName(terminal)))
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
 * Adds all commands. What a command does is loaded when it runs, so that the help starts fast. The function is long because it is the
 * list of the commands.
 *
 * @param operands - What follows `--` after `emulator` or `certify`; `null` without it.
 * @param exitWith - Receives the exit status of a command that has more than one without an error.
 */
export function addCommands(
  program: Command,
  terminal: Terminal,
  operands: readonly string[] | null,
  exitWith: (status: number) => void = () => {},
): void {
  const add = (command: keyof typeof COMMAND_OPTIONS) => {
    const { description, after } = COMMAND_HELP[command];
    const added = program.command(command).description(description);
    for (const option of COMMAND_OPTIONS[command]) added.addOption(option);
    return added.addHelpText("after", after?.(commandName(terminal)) ?? "");
  };

  /** The command after `--`; `null` without `--`. */
  const commandAfterDashes = (name: string, args: readonly string[]) => {
    if (args.length > 0) throw missingDashes(`${name} -- ${args.map(shellWord).join(" ")}`, terminal);
    if (operands?.length === 0) throw new UsageError("Missing command after `--`.");
    return operands;
  };
  add("run")
    .argument("[type]", `${orList(TASK_TYPES)} (default: music)`, parseTaskType)
    .allowExcessArguments()
    .action(async (type: TaskType | undefined, flags: RunFlags, { args }: Command) => {
      if (args.length > 1)
        throw new UsageError(
          `\`run\` takes only the type. Describe the result with a flag: ${exampleOf(type, flags.model)}`,
        );
      await (await import("./run.js")).runTask(type, flags, terminal);
    });
  add("wait")
    .argument("<task-id>", "the ID that `run` printed")
    .action(async (id, flags) => (await import("./run.js")).waitForTask(id, flags, terminal));
  add("batch")
    .argument("<file>", "JSON Lines, or CSV with a header")
    .action(async (file, flags) =>
      exitWith(await (await import("./batch/batch.js")).runBatch(file, flags, terminal)),
    );
  add("orders").action(async (flags) => (await import("./journal.js")).showOrders(flags, terminal));
  add("settle")
    .argument("<key>", "the --key of the `run`")
    .action(async (key, flags) => (await import("./journal.js")).recordOutcome(key, flags, terminal));
  add("relay").action(async (flags) => (await import("./relay/relay.js")).relay(flags, terminal));
  add("balance").action(async (flags) => (await import("./account.js")).showBalance(flags, terminal));
  add("usage").action(async (flags) => (await import("./account.js")).showUsage(flags, terminal));
  add("drift").action(async (flags) => {
    const { checkDrift } = await import("./drift/drift.js");
    exitWith(await checkDrift(flags, packageVersion(), terminal));
  });
  add("certify")
    .usage("[options] -- <command> [args...]")
    .allowExcessArguments()
    .action(async (flags: CertifyFlags, { args }: Command) => {
      const command = commandAfterDashes("certify", args);
      const { certify, listScenarios } = await import("./certify/certify.js");
      if (flags.list) return listScenarios(terminal, flags.json);
      if (command === null)
        throw new UsageError("Missing command. Write `--` and then the command that makes a song.");
      exitWith(await certify(command, flags, packageVersion(), terminal));
    });
  add("mcp").action(async (flags) =>
    (await import("./mcp/server.js")).serveMcp(flags, packageVersion(), terminal),
  );
  add("emulator")
    .usage("[options] [-- <command> [args...]]")
    .allowExcessArguments()
    .action(async (flags: EmulatorFlags, { args }: Command) => {
      const command = commandAfterDashes("emulator", args);
      process.exit(await (await import("./emulator.js")).runEmulator(flags, command));
    });
}

import type { Command, Option } from "commander";
import type { TaskType } from "../contract/service.js";
import type { EmulatorFlags } from "./emulator.js";
import {
  CONNECTION_OPTIONS,
  EMULATOR_OPTIONS,
  exampleOf,
  ORDERS_OPTIONS,
  parseTaskType,
  RUN_OPTIONS,
  type RunFlags,
  SETTLE_OPTIONS,
  WAIT_OPTIONS,
} from "./flags.js";
import { shellWord, type Terminal, UsageError } from "./terminal.js";

const RUN_HELP = `
Examples, with the price in credits of 0.01 USD:
  10  song         run -d "rain in Lisbon"
      from lyrics  run --prompt "$(cat words.txt)" --tags folk
      more of it   run --continue-clip-id ID --continue-at 95
   5  provider_b   run --model provider_b --prompt "slow folk"
   5  lyrics       run lyrics --prompt "a lighthouse"
   1  upload       run upload --url https://example.com/a.mp3
   5  whole song   run concat --clip-id ID
      after it was continued

The paths of the files are written to stdout, one per line.

The request is sent once. Ctrl-C stops waiting; the task
continues, and the command prints how to wait for it again.
With --journal and --key you can repeat the same command at
any time: it continues with its task and is charged once:

  async-music run -d "rain" --journal songs.journal --key rain`;

const WAIT_HELP = "\nThe task may have ended: its audio is available for 7 days.";

const SETTLE_HELP = `
Before you use --not-created, make sure that no \`run\` with
the key is still sending: the next one is charged. Settle
again to correct a mistake. An ID that the service returned
for the key is never replaced.

  async-music settle rain --journal j --not-created`;

const EMULATOR_HELP = `
A command after -- runs against a new emulator, with
ASYNC_MUSIC_BASE_URL and ASYNC_MUSIC_API_KEY set. The
emulator ends with it and returns its exit status:

  async-music emulator -- npm test`;

/**
 * Adds all commands. What a command does is loaded when it runs, so that the help starts fast.
 *
 * @param operands - What follows `--` after `emulator`; `null` without it.
 */
export function addCommands(program: Command, terminal: Terminal, operands: readonly string[] | null): void {
  const add = (name: string, summary: string, description: string, options: readonly Option[], help = "") => {
    const command = program.command(name).summary(summary).description(description);
    for (const each of options) command.addOption(each);
    return command.addHelpText("after", help);
  };

  add(
    "run",
    "make a song, lyrics or a clip, and save it",
    "Submit a task, wait for it and save its result. This costs credits.",
    RUN_OPTIONS,
    RUN_HELP,
  )
    .argument("[type]", "music, lyrics, upload or concat (default: music)", parseTaskType)
    .allowExcessArguments()
    .action(async (type: TaskType | undefined, flags: RunFlags, { args }: Command) => {
      if (args.length > 1)
        throw new UsageError(
          `\`run\` takes only the type. Describe the result with a flag: ${exampleOf(type, flags.model)}`,
        );
      await (await import("./run.js")).runTask(type, flags, terminal);
    });

  add(
    "wait",
    "wait for a task, and save its result",
    "Wait for a task that was submitted before, and save its result. This costs nothing.",
    WAIT_OPTIONS,
    WAIT_HELP,
  )
    .argument("<task-id>", "the ID that `async-music run` printed")
    .action(async (id, flags) => (await import("./run.js")).waitForTask(id, flags, terminal));

  add(
    "orders",
    "list the open keys of a journal",
    "List the keys of a journal whose request has an unknown outcome, or whose task no run has finished. Nothing is sent.",
    ORDERS_OPTIONS,
  ).action(async (flags) => (await import("./journal.js")).showOrders(flags, terminal));

  add(
    "settle",
    "record the outcome of a request whose response was lost",
    "Record the outcome of a request whose response was lost. The task is read once from the service before its ID is recorded.",
    SETTLE_OPTIONS,
    SETTLE_HELP,
  )
    .argument("<key>", "the --key of `async-music run`")
    .action(async (key, flags) => (await import("./journal.js")).settleKey(key, flags, terminal));

  add(
    "balance",
    "show the credits of the account",
    "Show the available credits, and those frozen for unfinished tasks.",
    CONNECTION_OPTIONS,
  ).action(async (flags) => (await import("./account.js")).showBalance(flags, terminal));

  add(
    "usage",
    "show what the account has used",
    "Show the tasks created, and the credits used and topped up, since the account exists.",
    CONNECTION_OPTIONS,
  ).action(async (flags) => (await import("./account.js")).showUsage(flags, terminal));

  add(
    "emulator",
    "run the service on this machine",
    "Run the service on this machine. Nothing is charged.",
    EMULATOR_OPTIONS,
    EMULATOR_HELP,
  )
    .usage("[options] [-- <command> [args...]]")
    .allowExcessArguments()
    .action(async (flags: EmulatorFlags, { args }: Command) => {
      if (args.length > 0)
        throw new UsageError(
          `Missing \`--\` before the command: async-music emulator -- ${args.map(shellWord).join(" ")}`,
        );
      if (operands?.length === 0) throw new UsageError("Missing command after `--`.");
      process.exit(await (await import("./emulator.js")).runEmulator(flags, operands));
    });
}

import { type Command, Option } from "commander";
import { MODELS, type TaskType } from "../contract/service.js";
import {
  type ConnectionFlags,
  duration,
  type EmulatorFlags,
  exampleOf,
  type OrdersFlags,
  parseTaskType,
  type RunFlags,
  type SettleFlags,
  seconds,
  type WaitFlags,
  wholeNumber,
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

/** Adds `run` and `wait`. What a command does is loaded when it runs, so that the help starts fast. */
export function addTaskCommands(program: Command, terminal: Terminal): void {
  const run = program
    .command("run")
    .summary("make a song, lyrics or a clip, and save it")
    .description("Submit a task, wait for it and save its result. This costs credits.")
    .argument("[type]", "music, lyrics, upload or concat (default: music)", parseTaskType)
    .allowExcessArguments()
    .optionsGroup("Request:")
    .option("-d, --gpt-description-prompt <text>", "a description of the song")
    .option("--prompt <text>", "song: the lyrics; lyrics: the subject; provider_b: style and mood")
    .option("--tags <styles>", "styles, separated by commas")
    .option("--negative-tags <styles>", "styles to avoid")
    .option("--title <text>", "the title of the song")
    .option("--make-instrumental", "no singing")
    .addOption(new Option("--model-version <version>").choices(["v6", "v5.5", "v5"]))
    .option("--continue-clip-id <id>", "the clip to continue")
    .option("--continue-at <seconds>", "where in the clip the continuation begins", seconds)
    .option("--url <url>", "upload: a public http or https address of audio")
    .option("--clip-id <id>", "concat: the last clip of a continued song")
    .option("--lyrics <text>", "provider_b: the lyrics")
    .addOption(
      new Option("--lyrics-type <type>", "provider_b: the source of the lyrics").choices([
        "generate",
        "user",
        "instrumental",
      ]),
    )
    .option("--seed <n>", "provider_b: seed of the generation, a whole number", wholeNumber())
    .addOption(new Option("--model <model>", "(default: provider_a)").choices(MODELS))
    .addOption(new Option("--format <format>", "request audio in this format").choices(["mp3"]))
    .option("--file <file>", "the whole request as JSON, instead of the flags above; - reads stdin")
    .optionsGroup("Options:")
    .option("--journal <path>", "record the task here, so that it is created at most once; needs --key")
    .option("--key <name>", "your name for this request in the journal")
    .addOption(
      new Option("--no-wait", "submit the task, write its ID to stdout and exit").conflicts([
        "out",
        "force",
        "download",
        "maxWait",
      ]),
    );
  addWaitOptions(run)
    .addHelpText("after", RUN_HELP)
    .action(async (type: TaskType | undefined, flags: RunFlags, { args }: Command) => {
      if (args.length > 1)
        throw new UsageError(
          `\`run\` takes only the type. Describe the result with a flag: ${exampleOf(type, flags.model)}`,
        );
      const { runTask } = await import("./run.js");
      await runTask(type, flags, terminal);
    });

  const wait = program
    .command("wait")
    .summary("wait for a task, and save its result")
    .description("Wait for a task that was submitted before, and save its result. This costs nothing.")
    .argument("<task-id>", "the ID that `async-music run` printed");
  addWaitOptions(wait)
    .addHelpText("after", "\nThe task may have ended: its audio is available for 7 days.")
    .action(async (taskId: string, flags: WaitFlags) => {
      const { waitForTask } = await import("./run.js");
      await waitForTask(taskId, flags, terminal);
    });
}

/** Adds `orders` and `settle`. */
export function addJournalCommands(program: Command, terminal: Terminal): void {
  program
    .command("orders")
    .summary("list the open keys of a journal")
    .description(
      "List the keys of a journal whose request has an unknown outcome, or whose task no run has finished. Nothing is sent.",
    )
    .requiredOption("--journal <path>", "the journal to list")
    .option("--json", "write one JSON document to stdout, also for an error")
    .action(async (flags: OrdersFlags) => {
      const { showOrders } = await import("./journal.js");
      await showOrders(flags, terminal);
    });

  const settle = program
    .command("settle")
    .summary("record the outcome of a request whose response was lost")
    .description(
      "Record the outcome of a request whose response was lost. The task is read once from the service before its ID is recorded.",
    )
    .argument("<key>", "the --key of `async-music run`")
    .requiredOption("--journal <path>", "the journal that contains the key")
    .option("--task-id <id>", "the task that was created; the next `run` with the key waits for it")
    .option("--not-created", "no task was created; the next `run` with the key creates one")
    .option("--offline", "record the ID without reading the task");
  addConnectionOptions(settle)
    .addHelpText(
      "after",
      `
Before you use --not-created, make sure that no \`run\` with
the key is still sending: the next one is charged. Settle
again to correct a mistake. An ID that the service returned
for the key is never replaced.

  async-music settle rain --journal j --not-created`,
    )
    .action(async (key: string, flags: SettleFlags) => {
      const { settleKey } = await import("./journal.js");
      await settleKey(key, flags, terminal);
    });
}

/** Adds `balance` and `usage`. */
export function addAccountCommands(program: Command, terminal: Terminal): void {
  addConnectionOptions(program.command("balance"))
    .summary("show the credits of the account")
    .description("Show the available credits, and those frozen for unfinished tasks.")
    .action(async (flags: ConnectionFlags) => {
      const { showBalance } = await import("./account.js");
      await showBalance(flags, terminal);
    });

  addConnectionOptions(program.command("usage"))
    .summary("show what the account has used")
    .description("Show the tasks created, and the credits used and topped up, since the account exists.")
    .action(async (flags: ConnectionFlags) => {
      const { showUsage } = await import("./account.js");
      await showUsage(flags, terminal);
    });
}

/**
 * Adds `emulator`.
 *
 * @param command - What follows `--`; `null` without it.
 */
export function addEmulatorCommand(program: Command, command: readonly string[] | null): void {
  program
    .command("emulator")
    .summary("run the service on this machine")
    .description("Run the service on this machine. Nothing is charged.")
    .usage("[options] [-- <command> [args...]]")
    .option(
      "--port <port>",
      "port to listen on; 0 for a free one (default: 4010, or a free one with a command)",
      wholeNumber(0, 65_535),
    )
    .option("--host <host>", "address to listen on; 0.0.0.0 or :: for all addresses", "127.0.0.1")
    .option(
      "--control-host <name>",
      "host name under which other machines may use the control plane and the dashboard, without a key; can be repeated",
      (name: string, names: string[] = []) => [...names, name],
    )
    .addOption(
      new Option("--clock <clock>", "real: runs with system time; virtual: moves only when advanced")
        .choices(["real", "virtual"])
        .default("real"),
    )
    .option("--seed <n>", "seed of all IDs, durations and songs", wholeNumber())
    .option("--credits <n>", "credits of the first account", wholeNumber(0))
    .option("--api-key <key>", "API key of the first account; it begins with emu_")
    .option(
      "--state <file>",
      "load the state from this file, and save it there at exit; if the file exists, --seed and --credits are refused, and --api-key replaces the first account's key",
    )
    .option("--json", "write one line of JSON once connections are accepted", false)
    .addHelpText(
      "after",
      `
A command after -- runs against a new emulator, with
ASYNC_MUSIC_BASE_URL and ASYNC_MUSIC_API_KEY set. The
emulator ends with it and returns its exit status:

  async-music emulator -- npm test`,
    )
    .allowExcessArguments()
    .action(async (flags: EmulatorFlags, { args }: Command) => {
      if (args.length > 0)
        throw new UsageError(
          `Missing \`--\` before the command: async-music emulator -- ${args.map(shellWord).join(" ")}`,
        );
      if (command?.length === 0) throw new UsageError("Missing command after `--`.");
      const { runEmulator } = await import("./emulator.js");
      process.exit(await runEmulator(flags, command));
    });
}

function addWaitOptions(command: Command): Command {
  const waiting = command
    .option(
      "-o, --out <path>",
      "where to save: a directory (that exists, or ends in /), or a file, which gets the extension of its format (default: this directory)",
    )
    .option("--force", "replace existing files; without it they are never overwritten")
    .option("--no-download", "save nothing: write the URLs of the audio, or the lyrics, to stdout")
    .option(
      "--max-wait <time>",
      "stop waiting after this time, such as 90s or 10m; the task continues (default: 65m)",
      duration,
    );
  return addConnectionOptions(waiting);
}

function addConnectionOptions(command: Command): Command {
  return command
    .option("--base-url <url>", "the service address (default: ASYNC_MUSIC_BASE_URL)")
    .option("--json", "write one JSON document to stdout, also for an error")
    .addOption(new Option("--api-key [key]").hideHelp().argParser(refuseKey));
}

/** Otherwise commander's error for an unknown option would repeat the key. */
function refuseKey(): never {
  throw new UsageError(
    "There is no --api-key: other users of this machine could read it in the process list. Set ASYNC_MUSIC_API_KEY.",
  );
}

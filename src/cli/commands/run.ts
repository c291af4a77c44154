import { Argument, Command, Option } from "commander";
import { MODELS, type Model, TASK_TYPES, type TaskType } from "../../contract/models.js";
import type { RunFlags } from "../flags.js";
import { seconds, wholeNumber } from "../parsers.js";
import { exampleOf } from "../tasks/examples.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { UsageError } from "../usage-error.js";
import { addWaitOptions } from "./wait-options.js";

const HELP = `
What there is, and its price in credits of 0.01 USD:
  10  a song      run -d "rain in Lisbon"
      from words  run --prompt "$(cat words.txt)" --tags folk
      more of it  run --continue-clip-id ID --continue-at 95
   5  provider_b  run --model provider_b --prompt "slow folk"
   5  lyrics      run lyrics --prompt "a lighthouse"
   1  an upload   run upload --url https://example.com/hum.mp3
   5  the whole   run concat --clip-id ID
      of a song that was continued

The paths of the files are written to stdout, one on a line.

The request is sent once. Ctrl-C ends the waiting, not the
task, and tells how to go on; with --no-wait it is not
waited for at all. With --journal and --key the same command
can be run again at any time: it goes on with its task, and
never pays for a second one:

  async-music run -d "rain" --journal songs.journal --key rain`;

/** `async-music run` */
export function runTaskCommand(surroundings: Surroundings): Command {
  const command = new Command("run")
    .summary("make a song, lyrics or a clip, and save it")
    .description(
      "Make a song, lyrics or a clip: submit a task, wait for it, and save what it made. This costs credits.",
    )
    .addArgument(
      new Argument("[type]", "what to make (default: music)").choices(TASK_TYPES).argParser(taskType),
    )
    .allowExcessArguments()
    .optionsGroup("What to make:")
    .option("-d, --gpt-description-prompt <text>", "describe the song that you want")
    .option(
      "--prompt <text>",
      "lyrics of a song; what lyrics are to be about; for provider_b, style and mood",
    )
    .option("--tags <styles>", "styles, separated by commas")
    .option("--negative-tags <styles>", "styles to keep away from")
    .option("--title <text>", "the song's title")
    .option("--make-instrumental", "no singing")
    .addOption(new Option("--model-version <version>").choices(["v6", "v5.5", "v5"]))
    .option("--continue-clip-id <id>", "make more of this clip")
    .option("--continue-at <seconds>", "where in the clip to begin", seconds)
    .option("--url <url>", "upload: a public http or https address of audio")
    .option("--clip-id <id>", "concat: the last clip of a continued song")
    .option("--lyrics <text>", "provider_b: the lyrics")
    .addOption(
      new Option("--lyrics-type <type>", "provider_b: where the lyrics come from").choices([
        "generate",
        "user",
        "instrumental",
      ]),
    )
    .option("--seed <n>", "provider_b: a whole number, for its chance", wholeNumber())
    .addOption(new Option("--model <model>", "who makes it (default: provider_a)").choices(MODELS))
    .addOption(new Option("--format <format>", "have the audio in this format").choices(["mp3"]))
    .option("--file <file>", "the whole request as JSON, in place of the flags above; - reads stdin")
    .optionsGroup("Options:")
    .option("--journal <path>", "record the task here, so that it is paid for once; with --key")
    .option("--key <name>", "your own name for this task in the journal")
    .addOption(
      new Option(
        "--no-wait",
        "submit the task and leave it: write its id to stdout, for `async-music wait`",
      ).conflicts(["out", "force", "download", "maxWait"]),
    );
  return addWaitOptions(command)
    .addHelpText("after", HELP)
    .action(async (type: TaskType | undefined, flags: RunFlags, { args }: Command) => {
      if (args.length > 1) throw misplacedText(`only ${type}`, type, flags.model);
      const { runTask } = await import("../tasks/run-task.js");
      await runTask(type, flags, surroundings);
    });
}

function taskType(text: string): TaskType {
  const type = TASK_TYPES.find((each) => each === text);
  if (type !== undefined) return type;
  throw misplacedText(`${TASK_TYPES.slice(0, -1).join(", ")} or ${TASK_TYPES.at(-1)}`);
}

/** Who is new says what to make without a flag. What they said is not repeated: it may be anything. */
function misplacedText(expected: string, type?: TaskType, model?: Model): UsageError {
  return new UsageError(
    `Expected ${expected} after \`run\`, and what to make in a flag: ${exampleOf(type, model)}`,
  );
}

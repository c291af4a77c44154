import type { Argument, Command, Option } from "commander";

/** A word that may stand where a shell asks. */
export interface Candidate {
  word: string;
  /** What it is, in a few words; empty where it speaks for itself. */
  meaning: string;
}

/** The words that may stand in place of the last one. None at all leaves the shell to offer files. */
export function complete(program: Command, words: readonly string[]): readonly Candidate[] {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  // Behind them stands a command of somebody else's.
  if (before.includes("--")) return [];
  return candidates(program, before, current).filter(({ word }) => word.startsWith(current));
}

function candidates(program: Command, before: readonly string[], current: string): readonly Candidate[] {
  const help = program.createHelp();
  const [name, ...rest] = before;
  const command = program.commands.find((each) => each.name() === name);
  if (command === undefined) {
    if (name !== undefined) return [];
    const commands = help
      .visibleCommands(program)
      .map((each) => ({ word: each.name(), meaning: each.summary() }));
    return current.startsWith("-") ? flagsOf(help.visibleOptions(program)) : commands;
  }
  const options = help.visibleOptions(command);
  const asked = flagNamed(options, rest.at(-1));
  if (asked?.required) return choicesOf(asked);
  if (current.startsWith("-")) return flagsOf(options);
  const [argument] = command.registeredArguments;
  return argument === undefined || hasArgument(rest, options) ? [] : choicesOf(argument);
}

function flagsOf(options: readonly Option[]): readonly Candidate[] {
  return options.map(({ long, short, description }) => ({ word: long ?? short ?? "", meaning: description }));
}

function choicesOf({ argChoices = [] }: Pick<Option | Argument, "argChoices">): readonly Candidate[] {
  return argChoices.map((word) => ({ word, meaning: "" }));
}

/** Whether a word stands there already that belongs to no flag. */
function hasArgument(words: readonly string[], options: readonly Option[]): boolean {
  return words.some((word, index) => {
    const flag = flagNamed(options, words[index - 1]);
    return !word.startsWith("-") && !flag?.required;
  });
}

function flagNamed(options: readonly Option[], word: string | undefined): Option | undefined {
  return options.find(({ short, long }) => word !== undefined && (word === short || word === long));
}

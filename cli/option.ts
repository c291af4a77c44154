import { Option } from "commander";

/** An option of a command, with the values to choose from, or the parser of its value. */
export function option(
  flags: string,
  help: string,
  values?: readonly string[] | Parameters<Option["argParser"]>[0],
): Option {
  const made = new Option(flags, help);
  if (typeof values === "function") return made.argParser(values);
  return values === undefined ? made : made.choices(values);
}

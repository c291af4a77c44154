import type { Option } from "commander";
import { REQUEST_GROUP } from "./flags.js";
import { UsageError } from "./terminal.js";

/**
 * Refuses a flag whose value is missing, so that the next flag would become its value and be paid for, and a repeated flag of a
 * request, of which only the last one would count. The error repeats no value.
 */
export function checkFlags(options: readonly Option[], args: readonly string[]): void {
  const names = ["--help", "-h", ...options.flatMap(({ long, short }) => [long ?? [], short ?? []].flat())];
  const seen = new Set<Option>();
  for (let index = 0; index < args.length && args[index] !== "--"; index++) {
    const arg = args[index] ?? "";
    const name = arg.startsWith("--") ? (arg.split("=")[0] ?? "") : arg.slice(0, 2);
    const option = options.find(({ long, short }) => name === long || name === short);
    if (option?.required !== true) continue;
    const flag = option.long ?? name;
    if (seen.has(option) && option.helpGroupHeading === REQUEST_GROUP)
      throw new UsageError(`Pass ${flag} once.`);
    seen.add(option);
    if (arg !== name) continue;
    const value = args[++index] ?? "";
    if (names.includes(value))
      throw new UsageError(
        `${flag} has no value: ${value} follows it. If that is its value, write ${flag}=${value}.`,
      );
  }
}

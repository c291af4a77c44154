import * as z from "zod/mini";

/** The schema of one of several words. */
export function oneOf<const Choices extends readonly [string, ...string[]]>(...choices: Choices) {
  return z.enum(choices, `be one of ${choices.join(", ")}`);
}

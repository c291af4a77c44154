import { AsyncMusicError } from "./async-music-error.js";

/** An option is missing or out of range: the message names the option, the rule and what came. */
export class InvalidOptionError extends AsyncMusicError {
  override name = "InvalidOptionError";

  /** The option, by the name under which it is given. */
  readonly option: string;

  constructor(option: string, rule: string, got?: string) {
    super(`Expected \`${option}\` to ${rule}${got === undefined ? "" : `, got \`${got}\``}.`);
    this.option = option;
  }
}

/** What came, as a message may show it: of a text only its length, since it may be the API key in a wrong place. */
export function shown(value: unknown): string {
  if (typeof value === "string") return `a text of length ${value.length}`;
  if (Array.isArray(value)) return `[${value.slice(0, 3).map(shown).join(", ")}]`;
  return value === null || ["number", "boolean", "undefined"].includes(typeof value)
    ? String(value)
    : typeof value;
}

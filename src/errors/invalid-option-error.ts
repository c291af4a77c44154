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

import { createRedactor } from "../../http/redactor.js";
import type { Output, Surroundings } from "./surroundings.js";

/** The same surroundings, to which nothing is ever written that holds the API key. */
export function withoutKey(surroundings: Surroundings): Surroundings {
  const key = surroundings.env["ASYNC_MUSIC_API_KEY"];
  if (!key) return surroundings;
  const { text } = createRedactor(key);
  const safe = (output: Output): Output => ({
    get isTerminal() {
      return output.isTerminal;
    },
    get columns() {
      return output.columns;
    },
    write: (written) => output.write(text(written)),
  });
  const { env, client, onSignal } = surroundings;
  return {
    env,
    get stdin() {
      return surroundings.stdin;
    },
    stdout: safe(surroundings.stdout),
    stderr: safe(surroundings.stderr),
    onSignal,
    ...(client !== undefined && { client }),
  };
}

import { styleText } from "node:util";
import type { Output, Surroundings } from "./surroundings.js";

export type Style = Parameters<typeof styleText>[0];

/** Whether text may be coloured: on a terminal, unless NO_COLOR or FORCE_COLOR say otherwise; the latter wins. */
export function hasColour({ isTerminal }: Output, env: Surroundings["env"]): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return isTerminal && !none && terminal !== "dumb";
}

/** Styles text for this output. */
export function stylesFor(output: Output, env: Surroundings["env"]): (style: Style, text: string) => string {
  const isOn = hasColour(output, env);
  return (style, text) => (isOn ? coloured(style, text) : text);
}

export function coloured(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false });
}

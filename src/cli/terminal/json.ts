import type { Output } from "./surroundings.js";

/** Writes the one document that `--json` promises. Control and format characters are escaped: stdout may be a terminal. */
export function writeJson(output: Output, document: unknown): void {
  const text = JSON.stringify(document, null, 2);
  output.write(`${text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, escaped)}\n`);
}

function escaped(character: string): string {
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return units.map((unit) => `\\u${unit}`).join("");
}

import type { Output } from "./surroundings.js";

/** Writes the one document that `--json` promises. */
export function writeJson(output: Output, document: unknown): void {
  output.write(`${JSON.stringify(document, null, 2)}\n`);
}

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Table, tableOf } from "./report.ts";
import { takeTurns } from "./spread.ts";

const ROUNDS = 21;

/** The time to import the built SDK in a new process, compared with ky and zod/mini. */
export async function measureImport(): Promise<Table[]> {
  const spreads = await takeTurns(ROUNDS, {
    "ky and zod/mini": () => timeOf('await import("ky"); await import("zod/mini");'),
    "async-music": () => timeOf('await import("async-music");'),
  });
  return [tableOf("Import, in a new process", "ms", spreads, { "async-music": { atMost: 1.2 } })];
}

function timeOf(imports: string): number {
  const code = `const began = performance.now(); ${imports} console.log(performance.now() - began);`;
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  return Number(execFileSync(process.execPath, ["--input-type=module", "--eval", code], { cwd }));
}

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { rowOf, type Table, tableOf } from "./report.ts";
import { takeTurns } from "./spread.ts";

const ROUNDS = 21;

/** Entries that are imported beside the client. */
const ENTRIES = ["node", "redis", "postgres", "opentelemetry"].map((name) => `async-music/${name}`);

/** The times to import the built SDK in a new process, compared with ky and zod/mini, and its entries after it. */
export async function measureImport(): Promise<Table[]> {
  const spreads = await takeTurns(ROUNDS, {
    "ky and zod/mini": () => timeOf('await import("ky"); await import("zod/mini");'),
    "async-music": () => timeOf('await import("async-music");'),
  });
  const afterClient = await takeTurns(
    ROUNDS,
    Object.fromEntries(
      ENTRIES.map((name) => [name, () => timeOf(`await import("${name}");`, 'await import("async-music");')]),
    ),
  );
  return [
    tableOf("Import, in a new process", "ms", spreads, { "async-music": { atMost: 1.2 } }),
    {
      title: "Import after async-music",
      unit: "ms",
      rows: Object.entries(afterClient).map(([name, spread]) => rowOf(name, spread)),
    },
  ];
}

function timeOf(imports: string, before = ""): number {
  const code = `${before} const began = performance.now(); ${imports} console.log(performance.now() - began);`;
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  return Number(execFileSync(process.execPath, ["--input-type=module", "--eval", code], { cwd }));
}

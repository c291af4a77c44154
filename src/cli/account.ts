import { AsyncMusic, type PacerFactory } from "../index.js";
import type { ConnectionFlags } from "./flags.js";
import { type Output, type Terminal, UsageError, usdOf, writeJson } from "./terminal.js";

/** The client for the account whose key is in the environment. */
export function connect(
  { baseUrl: given }: ConnectionFlags,
  { env, client }: Terminal,
  pacer?: PacerFactory,
): AsyncMusic {
  const apiKey = env["ASYNC_MUSIC_API_KEY"];
  const baseUrl = given ?? env["ASYNC_MUSIC_BASE_URL"];
  if (!apiKey) {
    throw new UsageError(
      "Missing API key. Set ASYNC_MUSIC_API_KEY. The service's dashboard creates keys; `async-music emulator` prints one that is never charged.",
    );
  }
  if (!baseUrl) throw new UsageError("No service address. Set ASYNC_MUSIC_BASE_URL or pass --base-url.");
  return new AsyncMusic({ ...client, apiKey, baseUrl, pacer });
}

export async function showBalance(flags: ConnectionFlags, terminal: Terminal): Promise<void> {
  const balance = await connect(flags, terminal).account.balance();
  if (flags.json) return writeJson(terminal.stdout, balance);
  const credits = (name: "available" | "frozen" | "total"): Row => [name, balance[name], "credits"];
  writeTable(terminal.stdout, [credits("available"), credits("frozen"), credits("total")]);
}

export async function showUsage(flags: ConnectionFlags, terminal: Terminal): Promise<void> {
  const usage = await connect(flags, terminal).account.usage();
  if (flags.json) return writeJson(terminal.stdout, usage);
  writeTable(terminal.stdout, [
    ["tasks created", usage.tasks_created, ""],
    ["credits used", usage.credits_used, "credits", ", including refunded ones"],
    ["credits topped up", usage.credits_topped_up, "credits"],
  ]);
}

type Row = readonly [name: string, count: number, unit: "credits" | "", note?: string];

function writeTable(output: Output, rows: readonly Row[]): void {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const countWidth = Math.max(...rows.map(([, count]) => String(count).length));
  for (const [name, count, unit, note = ""] of rows) {
    const worth = unit === "credits" ? ` credits  ${usdOf(count)}${note}` : "";
    output.write(`${name.padEnd(nameWidth)}  ${String(count).padStart(countWidth)}${worth}\n`);
  }
}

import { AsyncMusic, type PacerFactory } from "../index.js";
import type { ConnectionFlags } from "./flags.js";
import { type Terminal, UsageError, usdOf, writeResult } from "./terminal.js";

/** The client for the account whose key is in the environment. */
export function connect({ baseUrl }: ConnectionFlags, { env, client }: Terminal, pacer?: PacerFactory) {
  const apiKey = env["ASYNC_MUSIC_API_KEY"];
  if (!apiKey)
    throw new UsageError(
      "Missing API key. Set ASYNC_MUSIC_API_KEY. The service's dashboard creates keys; `async-music emulator` prints one that is never charged.",
    );
  return new AsyncMusic({ ...client, apiKey, baseUrl: baseUrl ?? env["ASYNC_MUSIC_BASE_URL"], pacer });
}

export async function showBalance(flags: ConnectionFlags, terminal: Terminal): Promise<void> {
  const balance = await connect(flags, terminal).account.balance();
  const row = (name: "available" | "frozen" | "total"): Row => [name, balance[name], ""];
  writeResult(terminal, flags.json, balance, tableOf([row("available"), row("frozen"), row("total")]));
}

export async function showUsage(flags: ConnectionFlags, terminal: Terminal): Promise<void> {
  const usage = await connect(flags, terminal).account.usage();
  const rows: Row[] = [
    ["tasks created", usage.tasks_created],
    ["credits used", usage.credits_used, ", including refunded ones"],
    ["credits topped up", usage.credits_topped_up, ""],
  ];
  writeResult(terminal, flags.json, usage, tableOf(rows));
}

/** With a note, even an empty one, the count is of credits. */
type Row = readonly [name: string, count: number, note?: string];

function tableOf(rows: readonly Row[]): string {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const countWidth = Math.max(...rows.map(([, count]) => String(count).length));
  return rows
    .map(([name, count, note]) => {
      const worth = note === undefined ? "" : ` credits  ${usdOf(count)}${note}`;
      return `${name.padEnd(nameWidth)}  ${String(count).padStart(countWidth)}${worth}\n`;
    })
    .join("");
}

import { connect } from "../connect.js";
import type { ConnectionFlags } from "../flags.js";
import { writeJson } from "../terminal/json.js";
import type { Output, Surroundings } from "../terminal/surroundings.js";
import { usdOf } from "../terminal/words.js";

/** Shows the account's credits. */
export async function showBalance(flags: ConnectionFlags, surroundings: Surroundings): Promise<void> {
  const balance = await connect(flags, surroundings).account.balance();
  if (flags.json) return writeJson(surroundings.stdout, balance);
  writeTable(surroundings.stdout, [
    ["available", balance.available, "credits"],
    ["frozen", balance.frozen, "credits"],
    ["total", balance.total, "credits"],
  ]);
}

/** Shows what the account was used for. */
export async function showUsage(flags: ConnectionFlags, surroundings: Surroundings): Promise<void> {
  const usage = await connect(flags, surroundings).account.usage();
  if (flags.json) return writeJson(surroundings.stdout, usage);
  writeTable(surroundings.stdout, [
    ["tasks created", usage.tasks_created, ""],
    ["credits used", usage.credits_used, "credits", ", refunded ones included"],
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

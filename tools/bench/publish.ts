import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { chartOf, drawChart, isCharted } from "./chart.ts";
import { drawReport } from "./draw.ts";
import { type Command, isKept, type Report, type Row, significant, type Table } from "./report.ts";

const REPORT = new URL("../../docs/performance.json", import.meta.url);
const PAGE = new URL("../../docs/performance.md", import.meta.url);

const loadBefore = load();

/** Prints the measurements, and the targets that they miss. */
export function print(tables: readonly Table[]): void {
  for (const { title, unit, rows } of tables) {
    console.log(`\n${title}, ${unit}`);
    console.table(Object.fromEntries(rows.map((row) => [row.name, cellsOf(row)])));
    for (const row of rows) if (isKept(row) === false) console.log(`Missed: ${row.name}`);
  }
}

/** Writes the measurements of a command into the report, and draws its part of the page and its chart. */
export function publish(command: Command, tables: readonly Table[]): void {
  const section = {
    machine: `${cpus()[0]?.model.trim() ?? "unknown"}, ${availableParallelism()} cores`,
    node: process.versions.node,
    date: new Date().toISOString().slice(0, 10),
    load: { before: loadBefore, after: load() },
    tables,
  };
  const report: Report = { ...JSON.parse(readFileSync(REPORT, "utf8")), [command]: section };
  writeFileSync(REPORT, `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(PAGE, drawReport(readFileSync(PAGE, "utf8"), report));
  if (tables.some(isCharted)) writeFileSync(new URL(chartOf(command), PAGE), drawChart(section));
}

function cellsOf(row: Row) {
  const { name, promise, ...figures } = row;
  const kept = { true: "yes", false: "NO" }[String(isKept(row))];
  return { ...figures, ...promise, ...(kept && { kept }) };
}

function load(): number {
  return significant(loadavg()[0] ?? Number.NaN);
}

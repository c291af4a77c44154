import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { drawReport } from "./draw.ts";
import { type Command, isKept, type Report, type Row, significant, type Table } from "./report.ts";

const REPORT = new URL("../../docs/performance.json", import.meta.url);
const PAGE = new URL("../../docs/performance.md", import.meta.url);

const loadBefore = load();

/** Prints what a command measured, and puts it into the report and onto the page that is drawn from it. */
export function publish(command: Command, tables: Table[]): void {
  for (const { title, unit, rows } of tables) {
    console.log(`\n${title}, ${unit}`);
    console.table(Object.fromEntries(rows.map((row) => [row.name, cellsOf(row)])));
  }
  const missed = tables.flatMap(({ title, rows }) =>
    rows.filter((row) => isKept(row) === false).map(({ name }) => `${title}: ${name}`),
  );
  console.log(missed.length === 0 ? "\nEvery promise is kept." : `\nMissed:\n  ${missed.join("\n  ")}`);

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
}

function cellsOf(row: Row) {
  const { name, promise, ...figures } = row;
  const kept = { true: "yes", false: "NO" }[String(isKept(row))];
  return { ...figures, ...promise, ...(kept && { kept }) };
}

function load(): number {
  return significant(loadavg()[0] ?? Number.NaN);
}

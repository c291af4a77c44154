import { chartOf, isCharted } from "./chart.ts";
import { type Command, isKept, type Report, type Row, type Section, type Table } from "./report.ts";

/** Replaces the text between the markers of each command with its measurements. */
export function drawReport(page: string, report: Report): string {
  return page.replace(
    /(<!-- measured by (\S+) -->\n)[\s\S]*?(<!-- until here -->)/g,
    (_, begin: string, command: Command, end: string) => {
      const section = report[command];
      return begin + (section === undefined ? "" : drawSection(command, section)) + end;
    },
  );
}

function drawSection(command: Command, { machine, node, date, load, tables }: Section): string {
  const where = `Measured on ${date}: ${machine}, Node ${node}; load ${load.before} before and ${load.after} after.`;
  const charted = tables.filter(isCharted).map(drawTable);
  const parts = [where, ...tables.filter((table) => !isCharted(table)).map(drawTable)];
  if (charted.length > 0) {
    const alt = tables
      .filter(isCharted)
      .map(({ title }) => title)
      .join("; ");
    parts.splice(1, 0, `![Bars with a line for each target: ${alt}](${chartOf(command)})`);
    parts.push("<details><summary>The values of the chart</summary>", ...charted, "</details>");
  }
  return `\n${parts.join("\n\n")}\n\n`;
}

function drawTable({ title, unit, against, rows }: Table): string {
  const isSpread = rows.some(({ lower }) => lower !== undefined);
  const columns = {
    "": ({ name }: Row) => name,
    [isSpread ? `${unit} (middle half)` : unit]: drawValue,
    ...(against !== undefined && { [`× ${against}`]: ({ ratio }: Row) => `${ratio ?? ""}` }),
    ...(rows.some(({ promise }) => promise !== undefined) && { target: drawPromise }),
  };
  const lines = [
    Object.keys(columns),
    Object.keys(columns).map((_, index) => (index === 0 ? "---" : "--:")),
    ...rows.map((row) => Object.values(columns).map((cell) => cell(row))),
  ];
  return [`**${title}**\n`, ...lines.map((cells) => `| ${cells.join(" | ")} |`)].join("\n");
}

function drawValue({ value, lower, upper }: Row): string {
  return lower === undefined || upper === undefined ? `${value}` : `${value} (${lower} to ${upper})`;
}

function drawPromise(row: Row): string {
  const { promise } = row;
  if (promise === undefined) return "";
  const words = "atMost" in promise ? `at most ${promise.atMost}` : `at least ${promise.atLeast}`;
  return isKept(row) ? `${words}: met` : `${words}: **missed**`;
}

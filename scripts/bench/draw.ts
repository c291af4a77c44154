import { isKept, type Report, type Row, type Section, type Table } from "./report.ts";

/** Replaces the text between the markers of each command with its measurements. */
export function drawReport(page: string, report: Report): string {
  return page.replace(
    /(<!-- measured by (\S+) -->\n)[\s\S]*?(<!-- until here -->)/g,
    (_, begin: string, command: keyof Report, end: string) => {
      const section = report[command];
      return begin + (section === undefined ? "" : drawSection(section)) + end;
    },
  );
}

function drawSection({ machine, node, date, load, tables }: Section): string {
  const where = `Measured on ${date}: ${machine}, Node ${node}; load ${load.before} before and ${load.after} after.`;
  return `\n${[where, ...tables.map(drawTable)].join("\n\n")}\n\n`;
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

import { type Command, isKept, type Row, type Section, type Table } from "./report.ts";

const [WIDTH, LEFT, RIGHT, ROW, BAR, TITLE, GAP] = [760, 210, 130, 22, 14, 34, 18];
/** Tables with fewer rows get no chart. */
const FEWEST_ROWS = 4;

const STYLE = `<style>
  text { fill: #1f2328 }
  .title { font-weight: 600 }
  .other { fill: #a8b3bf }
  .ours { fill: #0b7a75 }
  .missed { fill: #c0492f }
  .target { stroke: #1f2328; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f3f6 }
    .other { fill: #5b6470 }
    .ours { fill: #35a39b }
    .missed { fill: #e07a62 }
    .target { stroke: #f0f3f6 }
  }
</style>`;

export function isCharted({ rows }: Table): boolean {
  return rows.length >= FEWEST_ROWS;
}

/** The chart's file, beside the page. */
export function chartOf(command: Command): string {
  return `performance-${command.replace("bench:", "")}.svg`;
}

/** Draws the longer tables of a section as horizontal bars, with a line for each target. */
export function drawChart({ tables }: Section): string {
  const charted = tables.filter(isCharted);
  let top = 0;
  const panels = charted.flatMap((table) => {
    const panel = drawPanel(table, top);
    top += TITLE + table.rows.length * ROW + GAP;
    return panel;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" font-family="system-ui, sans-serif" font-size="13">`,
    `<title>${escaped(charted.map(({ title }) => title).join("; "))}</title>`,
    STYLE,
    ...panels,
    "</svg>",
    "",
  ].join("\n");
}

function drawPanel({ title, unit, rows }: Table, top: number): string[] {
  const longest = Math.max(...rows.map((row) => Math.max(row.value, targetOf(row) ?? 0)));
  const widthOf = (value: number) => Math.round(((WIDTH - LEFT - RIGHT) * value * 10) / longest) / 10;
  return [
    `<text class="title" x="0" y="${top + 18}">${escaped(`${title}, ${unit}`)}</text>`,
    ...rows.flatMap((row, index) => {
      const y = top + TITLE + index * ROW;
      const kept = isKept(row);
      const color =
        kept === false ? "missed" : kept === true || row.name === "async-music" ? "ours" : "other";
      const target = targetOf(row);
      const end = LEFT + Math.max(widthOf(row.value), widthOf(target ?? 0)) + 8;
      return [
        `<text x="${LEFT - 8}" y="${y + 12}" text-anchor="end">${escaped(row.name)}</text>`,
        `<rect class="${color}" x="${LEFT}" y="${y}" width="${widthOf(row.value)}" height="${BAR}"/>`,
        ...(target === null
          ? []
          : [`<path class="target" d="M${LEFT + widthOf(target)} ${y - 3}v${BAR + 6}"/>`]),
        `<text x="${end}" y="${y + 12}">${row.value}${row.ratio === undefined ? "" : ` (${row.ratio}×)`}</text>`,
      ];
    }),
  ];
}

/** The target in the unit of the table, also if it is a ratio. */
function targetOf({ value, ratio, promise }: Row): number | null {
  if (promise === undefined) return null;
  const target = "atMost" in promise ? promise.atMost : promise.atLeast;
  return ratio === undefined ? target : (target * value) / ratio;
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

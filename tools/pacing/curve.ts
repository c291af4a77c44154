/** A policy's mean discovery delays, in seconds. */
export interface Series {
  name: string;
  byScenario: ReadonlyMap<string, number>;
}

/** The x axis: new tasks per second. */
const RATES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const CLASSES = ["ours", "fixed", "backoff", "bound"];
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [760, 420, 90, 60, 20, 150];
const [SHORTEST, LONGEST] = [1, 1000];
/** The least distance between two names at the ends of their curves. */
const LINE_HEIGHT = 16;

const STYLE = `<style>
  text { fill: #1f2328 }
  .grid { stroke: #d3d9df }
  .curve { fill: none; stroke-width: 2.5 }
  path.ours { stroke: #0b7a75 } text.ours { fill: #0b7a75 }
  path.fixed { stroke: #c0492f } text.fixed { fill: #b5402a }
  path.backoff { stroke: #7d5a93 } text.backoff { fill: #7d5a93 }
  path.bound { stroke: #59636e; stroke-dasharray: 5 4 } text.bound { fill: #59636e }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f3f6 }
    .grid { stroke: #3a424b }
    path.ours { stroke: #4fc7bf } text.ours { fill: #4fc7bf }
    path.fixed { stroke: #ee8b72 } text.fixed { fill: #ee8b72 }
    path.backoff { stroke: #c3a1d8 } text.backoff { fill: #c3a1d8 }
    path.bound { stroke: #b7c0ca } text.bound { fill: #b7c0ca }
  }
</style>`;

/** The mean discovery delay of each policy over the arrival rate, as an SVG with a logarithmic y axis. */
export function drawCurve(policies: readonly Series[], bounds: ReadonlyMap<string, number | null>): string {
  const bound = new Map(
    [...bounds].flatMap(([name, delay]) => (delay === null ? [] : [[name, delay] as const])),
  );
  const curves = [...policies, { name: "best possible", byScenario: bound }].map(
    ({ name, byScenario }, index) => ({
      name,
      color: CLASSES[index] ?? "bound",
      points: RATES.map((rate) => [x(rate), y(byScenario.get(`${rate} a second`) ?? Number.NaN)] as const),
    }),
  );
  const middle = [(LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2] as const;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13">`,
    "<title>Mean time between the end of a task and the read that finds it</title>",
    STYLE,
    ...[1, 10, 100, 1000].flatMap(gridLine),
    ...RATES.map((rate) => text(x(rate), HEIGHT - BOTTOM + 20, String(rate))),
    text(middle[0], HEIGHT - 15, "New tasks per second, with one key and 120 requests per minute"),
    `<text transform="translate(20 ${middle[1]}) rotate(-90)" text-anchor="middle">Mean discovery delay</text>`,
    ...curves.map(
      ({ color, points }) =>
        `<path class="curve ${color}" d="${points.map(([across, up], index) => `${index === 0 ? "M" : "L"}${across} ${up}`).join("")}"/>`,
    ),
    ...namesOf(curves),
    "</svg>",
    "",
  ].join("\n");
}

function gridLine(seconds: number): string[] {
  const at = y(seconds);
  return [
    `<path class="grid" d="M${LEFT} ${at}H${WIDTH - RIGHT}"/>`,
    text(LEFT - 8, at + 4, `${seconds} s`, "end"),
  ];
}

interface Curve {
  name: string;
  color: string;
  points: readonly (readonly [number, number])[];
}

/** The names at the ends of the curves, moved down where they would overlap. */
function namesOf(curves: readonly Curve[]): string[] {
  const ends = curves.map(({ name, color, points }) => ({ name, color, up: (points.at(-1)?.[1] ?? 0) + 4 }));
  let lowest = 0;
  return ends
    .sort((one, other) => one.up - other.up)
    .map(({ name, color, up }) => {
      lowest = Math.max(up, lowest + LINE_HEIGHT);
      return text(WIDTH - RIGHT + 8, Math.round(lowest * 10) / 10, name, "start", color);
    });
}

function text(across: number, up: number, words: string, anchor = "middle", color?: string): string {
  const style = color === undefined ? "" : ` class="${color}"`;
  return `<text${style} x="${across}" y="${up}" text-anchor="${anchor}">${words}</text>`;
}

function x(rate: number): number {
  const share = (rate - 0.1) / 0.8;
  return Math.round((LEFT + 15 + share * (WIDTH - RIGHT - LEFT - 30)) * 10) / 10;
}

function y(seconds: number): number {
  const share = Math.log(Math.min(LONGEST, seconds) / SHORTEST) / Math.log(LONGEST / SHORTEST);
  return Math.round((HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)) * 10) / 10;
}

/** A policy's mean discovery delays, in seconds. */
export interface Series {
  name: string;
  byScenario: ReadonlyMap<string, number>;
}

/** What the curve runs over, from few tasks to many. */
const RATES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const COLOURS = ["#0b7a75", "#c8553d", "#8d6a9f"];
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [760, 420, 70, 60, 20, 150];
const [SHORTEST, LONGEST] = [1, 1000];

/** The mean discovery delay of each policy over the arrivals a second, as an SVG with a logarithmic axis. */
export function drawCurve(policies: readonly Series[], bounds: ReadonlyMap<string, number | null>): string {
  const bound = new Map(
    [...bounds].flatMap(([name, delay]) => (delay === null ? [] : [[name, delay] as const])),
  );
  const curves = [...policies, { name: "the best possible", byScenario: bound }];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13">`,
    `<title>Mean time between the end of a task and the read that finds it</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...[1, 10, 100, 1000].flatMap(gridLine),
    ...RATES.map((rate) => text(x(rate), HEIGHT - BOTTOM + 20, String(rate), "middle")),
    text(
      (LEFT + WIDTH - RIGHT) / 2,
      HEIGHT - 15,
      "tasks a second on one key of 120 requests a minute",
      "middle",
    ),
    ...curves.flatMap(curve),
    "</svg>",
    "",
  ].join("\n");
}

function gridLine(seconds: number): string[] {
  const at = y(seconds);
  return [
    `<path d="M${LEFT} ${at}H${WIDTH - RIGHT}" stroke="#d8d8d8"/>`,
    text(LEFT - 8, at + 4, `${seconds} s`, "end"),
  ];
}

function curve({ name, byScenario }: Series, index: number): string[] {
  const points = RATES.map((rate) => [x(rate), y(byScenario.get(`${rate} a second`) ?? Number.NaN)] as const);
  const colour = COLOURS[index] ?? "#777777";
  const dashes = index < COLOURS.length ? "" : ' stroke-dasharray="5 4"';
  const path = points.map(([across, up], place) => `${place === 0 ? "M" : "L"}${across} ${up}`).join("");
  const end = points.at(-1)?.[1] ?? 0;
  return [
    `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2.5"${dashes}/>`,
    text(WIDTH - RIGHT + 8, end + 4 + (index === 2 ? 12 : 0) + (index === 3 ? 14 : 0), name, "start", colour),
  ];
}

function text(across: number, up: number, words: string, anchor: string, colour = "#333333"): string {
  return `<text x="${across}" y="${up}" text-anchor="${anchor}" fill="${colour}">${words}</text>`;
}

function x(rate: number): number {
  const share = (rate - 0.1) / 0.8;
  return Math.round((LEFT + 15 + share * (WIDTH - RIGHT - LEFT - 30)) * 10) / 10;
}

function y(seconds: number): number {
  const share = Math.log(Math.min(LONGEST, seconds) / SHORTEST) / Math.log(LONGEST / SHORTEST);
  return Math.round((HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)) * 10) / 10;
}

import { useMemo } from "preact/hooks";
import type { ExchangeRow } from "../../api.js";
import { Button, Time } from "../../parts/display.js";
import { useDrag } from "../../parts/drag.js";
import { formatAmount, formatCount, formatTime } from "../../parts/format.js";
import { chips, setChips } from "./search.js";

const BARS = 160;
const HEIGHT = 36;

/** From the bottom to the top of a bar: the name, the color, and the token that shows only these. */
const GROUPS = [
  ["2xx", "good", "2xx"],
  ["3xx", "muted", "3xx"],
  ["4xx", "warn", "4xx"],
  ["429", "accent", "429"],
  ["5xx", "bad", "5xx"],
  ["no response", "muted", "none"],
] as const;

function groupOf({ status }: ExchangeRow): number {
  if (status === null) return 5;
  if (status === 429) return 3;
  if (status < 400) return status < 300 ? 0 : 1;
  return status < 500 ? 2 : 4;
}

/** The number of requests over the time range of the list, by status. A drag over it keeps only the requests of that time. */
export function Histogram({ log }: { log: readonly ExchangeRow[] }) {
  const from = Date.parse(log[0]?.at ?? "");
  const until = Math.max(from + 1, Date.parse(log.at(-1)?.at ?? ""));
  const { paths, totals } = useMemo(() => barsOf(log, from, until), [log]);
  const { drag, listeners } = useDrag(1 / BARS, (part) => {
    const [begin, end] = [part.from, part.to].map((each) =>
      new Date(from + each * (until - from)).toISOString(),
    );
    const others = chips.value.filter(({ field }) => field !== "time");
    setChips([...others, { field: "time", value: `${begin}..${end}` }]);
  });
  if (log.length === 0) return null;
  return (
    <figure class="histogram">
      <svg
        viewBox={`0 0 ${BARS} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${formatAmount(log.length, "request")} from ${formatTime(from)} to ${formatTime(until)}, by status`}
        {...listeners}
      >
        <title>Drag to keep only the requests of a time</title>
        {GROUPS.map(([name, color], index) => (
          <path key={name} d={paths[index]} style={{ fill: `var(--${color})` }} />
        ))}
        {drag !== null && (
          <rect class="drag" x={BARS * drag.from} width={BARS * (drag.to - drag.from)} height={HEIGHT} />
        )}
      </svg>
      <figcaption>
        <Time at={from} />
        <span class="legend">
          {GROUPS.map(
            ([name, color, value], index) =>
              totals[index] !== 0 && (
                <Button
                  key={name}
                  class="small quiet"
                  style={{ "--tone": `var(--${color})` }}
                  onClick={() => setChips([...chips.value, { field: "status", value }])}
                >
                  {name}: {formatCount(totals[index] ?? 0)}
                </Button>
              ),
          )}
        </span>
        <Time at={until} />
      </figcaption>
    </figure>
  );
}

/** The bars of each group as a path. */
function barsOf(log: readonly ExchangeRow[], from: number, until: number) {
  const counts = Array.from({ length: BARS }, () => GROUPS.map(() => 0));
  const totals = GROUPS.map(() => 0);
  for (const request of log) {
    const part = (Date.parse(request.at) - from) / (until - from);
    const bar = counts[Math.min(Math.floor(part * BARS), BARS - 1)] ?? [];
    const group = groupOf(request);
    bar[group] = (bar[group] ?? 0) + 1;
    totals[group] = (totals[group] ?? 0) + 1;
  }
  const most = Math.max(...counts.map((bar) => bar.reduce((sum, count) => sum + count)));
  const paths = GROUPS.map(() => "");
  for (const [x, bar] of counts.entries()) {
    let bottom = HEIGHT;
    for (const [group, count] of bar.entries()) {
      const height = (HEIGHT * count) / most;
      if (count > 0) paths[group] += `M${x} ${bottom}v${-height}h0.8v${height}z`;
      bottom -= height;
    }
  }
  return { paths, totals };
}

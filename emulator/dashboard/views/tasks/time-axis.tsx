import { useDrag } from "../../parts/drag.js";
import { formatTime } from "../../parts/format.js";

/** In milliseconds since the epoch. */
export interface TimeRange {
  from: number;
  to: number;
}

const DAY_MS = 86_400_000;
const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200].map(
  (seconds) => seconds * 1000,
);
const MOST_TICKS = 8;

/** Round times within the range, at most eight. */
export function ticksOf({ from, to }: TimeRange): number[] {
  const least = (to - from) / MOST_TICKS;
  const step = STEPS_MS.find((each) => each >= least) ?? DAY_MS * Math.ceil(least / DAY_MS);
  const first = step * Math.ceil(from / step);
  return Array.from({ length: Math.ceil((to - first) / step) }, (_, index) => first + index * step);
}

export function percentIn({ from, to }: TimeRange, at: number): number {
  return (100 * (at - from)) / Math.max(1, to - from);
}

/** The axis of a chart. A drag over it selects a part of its range. */
export function TimeAxis({ range, onSelect }: { range: TimeRange; onSelect(part: TimeRange): void }) {
  const timeAt = (share: number) => Math.round(range.from + share * (range.to - range.from));
  const { drag, listeners } = useDrag(0.01, ({ from, to }) =>
    onSelect({ from: timeAt(from), to: timeAt(to) }),
  );
  const ticks = ticksOf(range);
  const [first = 0, second = first] = ticks;
  return (
    <span class="time-axis" title="Drag to zoom in" {...listeners}>
      {ticks.map((at) => (
        <time key={at} dateTime={new Date(at).toISOString()} style={{ left: `${percentIn(range, at)}%` }}>
          {labelOf(at, second - first)}
        </time>
      ))}
      {drag !== null && (
        <span class="brush" style={{ left: `${100 * drag.from}%`, right: `${100 - 100 * drag.to}%` }} />
      )}
    </span>
  );
}

/** The day where it begins, otherwise the time. */
function labelOf(at: number, stepMs: number): string {
  const [day = "", time = ""] = formatTime(at).split(" ");
  if (at % DAY_MS === 0) return day.slice("2026-".length);
  return stepMs < 60_000 ? time : time.slice(0, "23:59".length);
}

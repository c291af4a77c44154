import type uPlot from "uplot";
import { formatCount, formatTime } from "./format.js";

const DAY_SECONDS = 86_400;

/** Space for a label of the time axis, with a gap. */
export const TIME_LABEL_PX = 90;

/** Space for the half of a label at the end of the time axis. */
export const LAST_LABEL_PX = 34;

export type Look = ReturnType<typeof lookOf>;

/** What the parts of a chart have in common. */
export function lookOf(Plot: typeof uPlot, element: HTMLElement) {
  const style = getComputedStyle(element);
  /** A canvas needs the value of the theme. */
  const color = (name: string) => {
    element.style.color = `var(${name})`;
    const { color: resolved } = style;
    element.style.color = "";
    return resolved;
  };
  const stepped = Plot.paths.stepped?.({ align: 1 });
  const lines = { stroke: color("--line"), width: 1 };
  return {
    color,
    /** An axis of counts. */
    axis: {
      stroke: color("--muted"),
      font: `12px ${style.fontFamily}`,
      grid: lines,
      ticks: lines,
      space: 30,
      size: labelsWidth,
    } satisfies uPlot.Axis,
    /** A line that keeps each value until the next one. */
    line: (label: string, name: string): uPlot.Series => ({
      label,
      stroke: color(name),
      width: 2,
      points: { show: false },
      value: (_, value) => (value === null ? "–" : formatCount(value)),
      ...(stepped !== undefined && { paths: stepped }),
    }),
  };
}

/** Space for the longest label of the counts. */
function labelsWidth(_chart: uPlot, labels: string[] | null): number {
  return 30 + 7.5 * Math.max(0, ...(labels ?? []).map((label) => label?.length ?? 0));
}

/** Without a cursor, the legend shows the last values, or those of a time. */
export function showLast(chart: uPlot, at = Number.POSITIVE_INFINITY): void {
  if (chart.cursor.idx !== null && chart.cursor.idx !== undefined) return;
  const [times, values = []] = chart.data;
  let idx = values.length - 1;
  while (idx > 0 && (values[idx] === null || (times[idx] ?? 0) > at)) idx--;
  chart.setLegend({ idx });
}

/** Days if the marks are days apart, otherwise times, with the day where it changes. */
export function timeLabels(_chart: uPlot, seconds: number[]): string[] {
  const [first = 0, second = 0] = seconds;
  const isByDay = second - first >= DAY_SECONDS;
  return seconds.map((each, index) => {
    const time = formatTime(each * 1000);
    const day = time.slice(0, 10);
    if (isByDay) return day;
    const clock = time.slice(11, second - first < 60 ? 19 : 16);
    return index === 0 || Number(clock.replaceAll(":", "")) === 0 ? `${clock}\n${day}` : clock;
  });
}

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { formatCount, formatTime } from "./format.js";
import { colors } from "./theme.js";

const DAY_SECONDS = 86_400;

/** Space for a label of the time axis, with a gap. */
const TIME_LABEL_PX = 90;

/** Space for the half of a label at the end of the time axis. */
const LAST_LABEL_PX = 34;

/** What the parts of a chart have in common. */
export interface Look {
  color(name: string): string;
  /** An axis of counts. */
  axis: uPlot.Axis;
  /** A line that keeps each value until the next one. */
  line(label: string, color: string): uPlot.Series;
}

/** Values over time, drawn with uPlot, which is loaded with the first chart. */
export function Chart(props: {
  /** The chart as text. */
  label: string;
  heightPx: number;
  /** Times in seconds, then the values of each series. */
  data: uPlot.AlignedData;
  /** The time in seconds of the values that the legend shows without a cursor. The default is the last one. */
  readoutAt?: number;
  parts(look: Look): Pick<uPlot.Options, "scales"> & { axes: uPlot.Axis[]; series: uPlot.Series[] };
  /** Draws below the series. */
  drawBelow?(chart: uPlot, look: Look): void;
  /** The same data as a table. */
  table(): ComponentChildren;
}) {
  const { label, heightPx: height, data, table } = props;
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  // New colors need a new chart; new data does not.
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    let isMounted = true;
    const observer = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height }));
    void import("uplot").then(({ default: Plot }) => {
      if (!isMounted) return;
      const look = lookOf(Plot, element);
      const { scales, axes, series } = latest.current.parts(look);
      const options: uPlot.Options = {
        width: element.clientWidth,
        height,
        padding: [null, LAST_LABEL_PX, null, null],
        tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
        ...(scales && { scales }),
        axes: [{ ...look.axis, values: timeLabels, space: TIME_LABEL_PX, size: 50 }, ...axes],
        series: [{ label: "Time (UTC)", value: "{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}" }, ...series],
        hooks: {
          ready: [(plot) => showLast(plot, latest.current.readoutAt)],
          setCursor: [(plot) => showLast(plot, latest.current.readoutAt)],
          drawClear: [(plot) => latest.current.drawBelow?.(plot, look)],
        },
      };
      chart.current = new Plot(options, latest.current.data, element);
      observer.observe(element);
    });
    return () => {
      isMounted = false;
      observer.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [colors.value]);
  useEffect(() => {
    if (chart.current === null) return;
    chart.current.setData(data);
    showLast(chart.current, latest.current.readoutAt);
  }, [data]);
  return (
    <>
      <div
        class="chart"
        ref={container}
        role="img"
        aria-label={label}
        style={{ "--height": `${height}px` }}
      />
      <AsTable>{table}</AsTable>
    </>
  );
}

/** A table below a chart, with the same data. It is made when it is opened. */
export function AsTable({ children }: { children(): ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="as-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show as a table</summary>
      {isOpen && children()}
    </details>
  );
}

function lookOf(Plot: typeof uPlot, element: HTMLElement): Look {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const stepped = Plot.paths.stepped?.({ align: 1 });
  const lines = { stroke: color("--line"), width: 1 };
  return {
    color,
    axis: {
      stroke: color("--muted"),
      font: `12px ${style.fontFamily}`,
      grid: lines,
      ticks: lines,
      space: 30,
      size: labelsWidth,
    },
    line: (label, name) => ({
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
function showLast(chart: uPlot, at = Number.POSITIVE_INFINITY): void {
  if (chart.cursor.idx !== null && chart.cursor.idx !== undefined) return;
  const [times, values = []] = chart.data;
  let idx = values.length - 1;
  while (idx > 0 && (values[idx] === null || (times[idx] ?? 0) > at)) idx--;
  chart.setLegend({ idx });
}

/** Days if the marks are days apart, otherwise times, with the day where it changes. */
function timeLabels(_chart: uPlot, seconds: number[]): string[] {
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

/** A chart has no more columns than these, so that it is drawn quickly. */
const COLUMNS = 200;

type Values = (number | null)[];

/** The same curves with few points: in each column, the first and last one, and the extremes of each series. */
export function thinOut(times: readonly number[], series: Values[]): [number[], ...Values[]] {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const columnOf = (time: number) => Math.floor((COLUMNS * (time - first)) / (last - first || 1));
  const kept: number[] = [];
  for (let from = 0, to = 0; from < times.length; from = to) {
    const column = columnOf(times[from] ?? 0);
    while (to < times.length && columnOf(times[to] ?? 0) === column) to++;
    const indices = new Set([from, to - 1, ...series.flatMap((values) => extremesOf(values, from, to))]);
    kept.push(...[...indices].sort((one, other) => one - other));
  }
  return [
    kept.map((index) => times[index] ?? 0),
    ...series.map((values) => kept.map((index) => values[index] ?? null)),
  ];
}

/** The indices of the lowest and the highest value, if any. */
function extremesOf(values: Values, from: number, to: number): number[] {
  let [lowest, highest] = [-1, -1];
  for (let index = from; index < to; index++) {
    const value = values[index] ?? null;
    if (value === null) continue;
    if (lowest === -1 || value < (values[lowest] ?? 0)) lowest = index;
    if (highest === -1 || value > (values[highest] ?? 0)) highest = index;
  }
  return lowest === -1 ? [] : [lowest, highest];
}

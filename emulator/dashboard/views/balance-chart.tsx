import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { formatCount, formatTime } from "../parts/format.js";
import { colors } from "../parts/theme.js";
import { type BalanceAfter, balances, now } from "../store.js";

const HEIGHT_PX = 220;
const DAY_SECONDS = 86_400;

/** Space for a label of the time axis, with a gap. */
const TIME_LABEL_PX = 90;

/** Available and frozen credits over time. The statement below has the same data as text. */
export function BalanceChart() {
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const all = balances.value;
  const at = now.value;
  // New colors need a new chart; new data does not.
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    let isMounted = true;
    const observer = new ResizeObserver(() =>
      chart.current?.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    );
    void import("uplot").then(({ default: Plot }) => {
      if (!isMounted) return;
      chart.current = new Plot(optionsFor(Plot, element), dataOf(balances.peek(), now.peek()), element);
      observer.observe(element);
    });
    return () => {
      isMounted = false;
      observer.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [colors.value]);
  useEffect(() => chart.current?.setData(dataOf(all, at)), [all, at]);

  const { available = 0, frozen = 0 } = all.at(-1) ?? {};
  return (
    <div
      class="chart"
      ref={container}
      role="img"
      aria-label={`Available and frozen credits over time; at last ${formatCount(available)} available and ${formatCount(frozen)} frozen`}
    />
  );
}

/** Times in seconds, and the credits after the last entry at each time, up to now. */
function dataOf(all: readonly BalanceAfter[], now: number): [number[], number[], number[]] {
  const points = new Map(all.map((after) => [Date.parse(after.entry.at) / 1000, after]));
  const last = all.at(-1);
  if (last !== undefined && now > Date.parse(last.entry.at)) points.set(now / 1000, last);
  const after = [...points.values()];
  return [[...points.keys()], after.map(({ available }) => available), after.map(({ frozen }) => frozen)];
}

function optionsFor(Plot: typeof uPlot, element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color("--muted"),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: color("--line"), width: 1 },
    ticks: { stroke: color("--line"), width: 1 },
  };
  const stepped = Plot.paths.stepped?.({ align: 1 });
  const series = (label: string, name: string): uPlot.Series => ({
    label,
    stroke: color(name),
    fill: color(`${name}-faint`),
    width: 2,
    points: { show: false },
    ...(stepped !== undefined && { paths: stepped }),
  });
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    scales: { y: { range: (_, __, highest) => [0, Math.max(highest * 1.1, 10)] } },
    axes: [
      { ...axis, values: timeLabels, space: TIME_LABEL_PX },
      { ...axis, size: labelsWidth },
    ],
    hooks: { ready: [showLast], setCursor: [showLast] },
    series: [
      { label: "Time (UTC)", value: "{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}" },
      series("Available", "--accent"),
      series("Frozen", "--warn"),
    ],
  };
}

/** Space for the longest label of the credits. */
function labelsWidth(_chart: uPlot, labels: string[] | null): number {
  return 30 + 7.5 * Math.max(0, ...(labels ?? []).map((label) => label.length));
}

/** Without a cursor, the legend shows the last balance. */
function showLast(chart: uPlot): void {
  if (chart.cursor.idx === null || chart.cursor.idx === undefined)
    chart.setLegend({ idx: chart.data[0].length - 1 });
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

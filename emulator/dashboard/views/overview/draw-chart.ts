import uPlot from "uplot";
import { formatTime } from "../../parts/format.js";

const DAY_SECONDS = 86_400;

/** The least room of a mark of time: its label, and half as much again beside it. */
const TIME_PX = 90;

/** Draws the curves in the page's own colors. */
export function drawChart(element: HTMLElement, data: [number[], number[], number[]], height: number): uPlot {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color("--muted"),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: color("--line"), width: 1 },
    ticks: { stroke: color("--line"), width: 1 },
  };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const series = (label: string, stroke: string, fill: string): uPlot.Series => ({
    label,
    stroke: color(stroke),
    fill: color(fill),
    width: 2,
    points: { show: false },
    ...(stepped !== undefined && { paths: stepped }),
  });
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      scales: { y: { range: (_, __, highest) => [0, Math.max(highest * 1.1, 10)] } },
      axes: [
        { ...axis, values: labelTimes, space: TIME_PX },
        { ...axis, size: 60 },
      ],
      hooks: { ready: [showLast], setCursor: [showLast] },
      series: [
        { label: "Time (UTC)", value: "{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}" },
        series("Available", "--accent", "--accent-faint"),
        series("Frozen", "--warn", "--warn-faint"),
      ],
    },
    data,
    element,
  );
}

/** Where no pointer asks for another time, the legend says what the last movement left. */
function showLast(chart: uPlot): void {
  if (chart.cursor.idx === null || chart.cursor.idx === undefined)
    chart.setLegend({ idx: chart.data[0].length - 1 });
}

/** In UTC: days where the marks are days apart, and times of day where they are not. */
function labelTimes(_chart: uPlot, seconds: number[]): string[] {
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

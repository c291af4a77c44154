import uPlot from "uplot";

/** Draws the curves in the page's own colors. */
export function drawChart(element: HTMLElement, data: [number[], number[], number[]], height: number): uPlot {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color("--pico-muted-color"),
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
      axes: [axis, { ...axis, size: 60 }],
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

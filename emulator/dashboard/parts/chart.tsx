import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { LAST_LABEL_PX, type Look, lookOf, showLast, TIME_LABEL_PX, timeLabels } from "./chart-parts.js";
import { Empty } from "./display.js";
import { Table, type TableProps } from "./table.js";
import { colors } from "./theme.js";

interface ChartProps<Item> {
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
  table: TableProps<Item>;
}

/** Values over time, drawn with uPlot, which is loaded with the first chart. */
export function Chart<Item>(props: ChartProps<Item>) {
  const { label, heightPx: height, data, table } = props;
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const [isMissing, setMissing] = useState(false);
  const latest = useRef(props);
  latest.current = props;
  // New colors need a new chart; new data does not.
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    let isMounted = true;
    const observer = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height }));
    const draw = (Plot: typeof uPlot) => {
      if (!isMounted) return;
      chart.current = new Plot(optionsOf(Plot, element, latest), latest.current.data, element);
      observer.observe(element);
    };
    void import("uplot").then(
      ({ default: Plot }) => draw(Plot),
      () => setMissing(true),
    );
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
      {isMissing && <Empty>The chart could not be loaded. Its data is in this table:</Empty>}
      <AsTable {...table} />
    </>
  );
}

/** What uPlot draws. Its hooks use the props of the latest rendering. */
function optionsOf(
  Plot: typeof uPlot,
  element: HTMLElement,
  latest: { readonly current: Omit<ChartProps<never>, "table"> },
): uPlot.Options {
  const look = lookOf(Plot, element);
  const { scales, axes, series } = latest.current.parts(look);
  return {
    width: element.clientWidth,
    height: latest.current.heightPx,
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
}

/** A table below a chart, with the same data. It is made when it is opened. */
function AsTable<Item>(table: TableProps<Item>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="as-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show as a table</summary>
      {isOpen && <Table {...table} />}
    </details>
  );
}

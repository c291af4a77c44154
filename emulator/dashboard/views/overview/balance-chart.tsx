import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { now } from "../../live/now.js";
import { formatCount } from "../../parts/format.js";
import { colors } from "../../parts/theme.js";
import { balances } from "./balances.js";
import { chartData } from "./chart-data.js";

const HEIGHT_PX = 220;

/** The credits as steps over time. What it shows stands in the statement below, too. */
export function BalanceChart() {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const all = balances.value;
  const at = now.value;
  const look = colors.value;
  // Other colors make another chart; new movements do not.
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let isWanted = true;
    const observer = new ResizeObserver(() =>
      chart.current?.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    );
    void import("./draw-chart.js").then(({ drawChart }) => {
      if (!isWanted) return;
      chart.current = drawChart(element, chartData(balances.peek(), now.peek()), HEIGHT_PX);
      observer.observe(element);
    });
    return () => {
      isWanted = false;
      observer.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [look]);
  useEffect(() => {
    chart.current?.setData(chartData(all, at));
  }, [all, at]);

  const last = all.at(-1);
  return (
    <div
      class="chart"
      ref={place}
      role="img"
      aria-label={`Available and frozen credits over time; at last ${formatCount(last?.available ?? 0)} available and ${formatCount(last?.frozen ?? 0)} frozen`}
    />
  );
}

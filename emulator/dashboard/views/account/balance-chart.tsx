import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { bindParam, linkTo, param } from "../../address.js";
import { Chart } from "../../parts/chart.js";
import type { Look } from "../../parts/chart-parts.js";
import { Field } from "../../parts/controls.js";
import { Empty, Loading, Section, Time } from "../../parts/display.js";
import { formatCount } from "../../parts/format.js";
import { balances, isLedgerLoaded, now } from "../../store.js";
import { balanceCurves } from "./balance-curves.js";

const HEIGHT_PX = 240;

const HOUR_MS = 3_600_000;
const RANGES = [
  ["", "All"],
  ["day", "Last day"],
  ["hour", "Last hour"],
] as const;
const RANGES_MS: Readonly<Record<string, number>> = { hour: HOUR_MS, day: 24 * HOUR_MS };

export function BalanceSection() {
  return (
    <Section
      title="Credits over time"
      aside={
        <div class="inline">
          <Field label="Range" of={RANGES} {...bindParam("range")} />
        </div>
      }
    >
      <div class="balance">
        {!isLedgerLoaded.value ? (
          <Loading what="the chart" />
        ) : balances.value.length < 2 ? (
          <Empty>
            The chart starts with the second change of credits.{" "}
            <a href={linkTo("/tasks/new")}>Submit a task</a> or <a href={linkTo("/account")}>top up</a>.
          </Empty>
        ) : (
          <BalanceChart />
        )}
      </div>
    </Section>
  );
}

/** Available credits above, and frozen ones below on a scale of their own. */
function BalanceChart() {
  const all = balances.value;
  const until = now.value;
  const length = RANGES_MS[param("range")] ?? Number.POSITIVE_INFINITY;
  const { entries, data } = useMemo(() => balanceCurves(all, until - length, until), [all, until, length]);
  const { available = 0, frozen = 0 } = all.at(-1) ?? {};
  return (
    <Chart
      label={`Available and frozen credits over time; at last ${formatCount(available)} available and ${formatCount(frozen)} frozen`}
      heightPx={HEIGHT_PX}
      data={data}
      parts={partsOf}
      table={{
        columns: [
          ["Time (UTC)", ({ at }) => <Time at={at} />],
          ["Available", ({ available }) => formatCount(available), "number"],
          ["Frozen", ({ frozen }) => formatCount(frozen), "number"],
        ],
        items: entries,
        keyOf: ({ index }) => String(index),
      }}
    />
  );
}

/** The parts of the height for the two curves; the rest separates them. */
const AVAILABLE_SHARE = 0.58;
const FROZEN_SHARE = 0.32;

function partsOf({ axis, line, color }: Look) {
  const only = (isShown: (mark: number, scale: uPlot.Scale) => boolean, scale: string) => {
    const filter = (chart: uPlot, marks: number[]) =>
      marks.map((mark) => (isShown(mark, chart.scales[scale] ?? {}) ? mark : null));
    return { scale, filter, grid: { ...axis.grid, filter }, ticks: { ...axis.ticks, filter } };
  };
  return {
    scales: { available: { range: upperRange }, frozen: { range: lowerRange } },
    axes: [
      // Without a size of its own, it shares the space of the other one.
      { ...axis, size: 0, space: 18, ...only((mark, { max = 0 }) => mark <= max * FROZEN_SHARE, "frozen") },
      {
        ...axis,
        ...only((mark, { min = 0, max = 0 }) => mark >= max - (max - min) * AVAILABLE_SHARE, "available"),
      },
    ],
    series: [
      { ...line("Available", "--accent"), scale: "available" },
      { ...line("Frozen", "--warn"), scale: "frozen", fill: color("--warn-faint") },
    ],
  };
}

/** Leaves space below the curve. It starts at 0, unless all values are far from 0. */
function upperRange(_: uPlot, lowest: number, highest: number): [number, number] {
  const isFlat = highest - lowest < highest / 2;
  const margin = Math.max(2, (highest - lowest) * 0.1);
  const bottom = isFlat ? Math.max(0, lowest - margin) : 0;
  const top = highest + margin;
  return [top - (top - bottom) / AVAILABLE_SHARE, top];
}

/** Leaves space above the curve. */
function lowerRange(_: uPlot, __: number, highest: number): [number, number] {
  return [0, Math.max(highest * 1.1, 5) / FROZEN_SHARE];
}

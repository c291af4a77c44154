import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { bindParam, param, setParam } from "../../address.js";
import type { ExchangeRow, Overview } from "../../api.js";
import { Chart } from "../../parts/chart.js";
import type { Look } from "../../parts/chart-parts.js";
import { Field } from "../../parts/controls.js";
import { Empty, Loading, Time } from "../../parts/display.js";
import { formatAmount, formatCount, shortId } from "../../parts/format.js";
import { isLogLoaded, keyNames, now, overview } from "../../store.js";
import { type KeyRequests, rateCurves, usesIn, type Window } from "./rate-use.js";
import { isKey, searchedFor } from "./search.js";

const HEIGHT_PX = 180;

const RANGES = [
  ["", "Last 10 windows"],
  ["60", "Last 60 windows"],
  ["all", "All"],
] as const;

/** Requests against the rate limit, for the key of the search, the one with the most 429s, or the most used one. */
export function RateSection({ log }: { log: readonly ExchangeRow[] }) {
  const isOpen = param("rate") !== "";
  return (
    <section aria-labelledby="rate-limit">
      <details
        class="foldable"
        open={isOpen}
        onToggle={({ currentTarget, target }) =>
          // A fold inside this one also reports here.
          target === currentTarget && setParam("rate", currentTarget.open ? "1" : "")
        }
      >
        <summary>
          <h2 id="rate-limit">Rate limit</h2>
        </summary>
        {isOpen && <RateOfKey log={log} />}
      </details>
    </section>
  );
}

function RateOfKey({ log }: { log: readonly ExchangeRow[] }) {
  const uses = useMemo(() => usesIn(log), [log]);
  if (overview.value === null) return null;
  const [keyId, reason] = chosenKey(uses);
  const owner = overview.value.accounts.find(({ keys }) => keys.some(({ key_id: id }) => id === keyId));
  const limits = owner?.limits ?? overview.value.limits;
  const policy = owner?.policy ?? overview.value.policy;
  const use = uses.get(keyId);
  if (use === undefined && !isLogLoaded.value) return <Loading what="the chart" />;
  if (use === undefined) return <Empty>The chart starts with the first request that a key sends.</Empty>;
  const window = policy.rate_limit_window === "sliding" ? "any" : "a window of";
  return (
    <div class="rate">
      <p class="hint">
        {formatAmount(limits.requests, "request")} in {window} {limits.window_seconds} s, key{" "}
        {keyNames.value.get(keyId) ?? `${shortId(keyId)}… (deleted)`}
        {reason}
      </p>
      <RateChart key={keyId} {...{ use, limits, policy }} />
    </div>
  );
}

/** The key of the chart, and why it is that one unless the search chose it. */
function chosenKey(uses: ReadonlyMap<string, KeyRequests>): [keyId: string, reason: string] {
  const wanted = searchedFor("key");
  if (wanted !== undefined) return [[...uses.keys()].find((id) => isKey(id, wanted)) ?? "", ""];
  const [first] = [...uses].sort(
    ([, one], [, other]) => other.refusedCount - one.refusedCount || other.at.length - one.at.length,
  );
  if (first === undefined) return ["", ""];
  const [keyId, { refusedCount }] = first;
  return [keyId, refusedCount > 0 ? " (the most 429 responses)" : " (the most used)"];
}

type RateProps = Pick<Overview, "limits" | "policy"> & { use: KeyRequests };

function RateChart({ use, limits, policy }: RateProps) {
  const until = now.value;
  const range = param("windows");
  const isSliding = policy.rate_limit_window === "sliding";
  const { windows, data } = useMemo(() => {
    const shown = range === "all" ? Number.POSITIVE_INFINITY : Number(range) || 10;
    return rateCurves(use, { limits, isSliding, shown, until });
  }, [use, limits, isSliding, range, until]);
  const refused = windows.reduce((sum, window) => sum + window.refused, 0);
  const highest = windows.reduce((most, window) => Math.max(most, window.highest), 0);
  return (
    <>
      <div class="inline">
        <Field label="Range" of={RANGES} {...bindParam("windows")} />
      </div>
      <Chart
        label={`Requests against the rate limit in ${formatAmount(windows.length, "window")}: at most ${formatCount(highest)} of ${formatCount(limits.requests)}, and ${formatCount(refused)} refused with 429`}
        heightPx={HEIGHT_PX}
        data={data}
        readoutAt={(use.at.at(-1) ?? 0) / 1000}
        parts={partsOf}
        {...(!isSliding && { drawBelow: (chart, look) => drawWindows(chart, look, windows) })}
        table={{
          columns: [
            ["Window from (UTC)", ({ from }) => <Time at={from} ms />],
            ["Highest use", (window) => formatCount(window.highest), "number"],
            ["Limit", () => formatCount(limits.requests), "number"],
            ["Refused (429)", (window) => formatCount(window.refused), "number"],
          ],
          items: windows.toReversed(),
          keyOf: ({ from }) => String(from),
        }}
      />
    </>
  );
}

function partsOf({ axis, line, color }: Look) {
  const top = (_: uPlot, __: number, highest: number): [number, number] => [0, highest * 1.12];
  return {
    scales: { y: { range: top } },
    axes: [axis],
    series: [
      line("Used", "--accent"),
      { ...line("Limit", "--muted"), width: 1, dash: [6, 4] },
      {
        ...line("429", "--bad"),
        paths: () => null,
        points: { show: true, size: 8, fill: color("--bad"), stroke: color("--card"), width: 1 },
        value: (_: uPlot, value: number | null) => (value === null ? "–" : "refused"),
      },
    ],
  };
}

/** More windows than these would cover the chart. */
const MOST_DRAWN = 100;

/** Each window as a box up to the limit. */
function drawWindows(chart: uPlot, { color }: Look, windows: readonly Window[]): void {
  if (windows.length > MOST_DRAWN) return;
  const { ctx } = chart;
  const [limit = 0] = chart.data[2] ?? [];
  const [bottom, top] = [chart.valToPos(0, "y", true), chart.valToPos(limit ?? 0, "y", true)];
  const { left: from, width } = chart.bbox;
  ctx.save();
  ctx.fillStyle = color("--accent-faint");
  ctx.strokeStyle = color("--muted");
  ctx.lineWidth = devicePixelRatio / 2;
  for (const window of windows) {
    const [start, end] = [window.from, window.to].map((at) => chart.valToPos(at / 1000, "x", true));
    const left = Math.max(from, start ?? 0);
    const right = Math.min(from + width, end ?? 0);
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.strokeRect(left, top, right - left, bottom - top);
  }
  ctx.restore();
}

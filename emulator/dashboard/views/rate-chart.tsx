import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { bindParam, param, setParam } from "../address.js";
import type { ExchangeRow, Overview } from "../api.js";
import { Chart, type Look, thinOut } from "../parts/chart.js";
import { Field } from "../parts/controls.js";
import { Empty, Loading, Table, Time } from "../parts/display.js";
import { formatAmount, formatCount, shortId } from "../parts/format.js";
import { isLogLoaded, keyNames, now, overview } from "../store.js";

const HEIGHT_PX = 180;

const RANGES = [
  ["", "Last 10 windows"],
  ["60", "Last 60 windows"],
  ["all", "All"],
] as const;

/** Requests against the rate limit, for the key of the filter, the one with the most 429s, or the most used one. */
export function RateSection({ log }: { log: readonly ExchangeRow[] }) {
  if (overview.value === null) return null;
  const { limits, policy } = overview.value;
  const uses = usesIn(log, log.length);
  const [keyId, reason] = chosenKey(uses);
  const use = uses.get(keyId);
  const isOpen = param("rate") !== "folded";
  return (
    <section aria-labelledby="rate-limit">
      <details
        class="foldable"
        open={isOpen}
        onToggle={({ currentTarget, target }) =>
          // A fold inside this one also reports here.
          target === currentTarget && setParam("rate", currentTarget.open ? "" : "folded")
        }
      >
        <summary>
          <h2 id="rate-limit">Rate limit</h2>{" "}
          <small>
            {formatAmount(limits.requests, "request")} in{" "}
            {policy.rate_limit_window === "sliding" ? "any" : "a window of"} {limits.window_seconds} s
            {keyId !== "" && `, key ${keyNames.value.get(keyId) ?? `${shortId(keyId)}… (deleted)`}${reason}`}
          </small>
        </summary>
        {isOpen && (
          <div class="rate">
            {use !== undefined ? (
              <RateChart key={keyId} use={use} count={use.at.length} {...{ limits, policy }} />
            ) : !isLogLoaded.value ? (
              <Loading what="the chart" />
            ) : (
              <Empty>The chart starts with the first request that a key sends.</Empty>
            )}
          </div>
        )}
      </details>
    </section>
  );
}

/** The requests of one key that have a rate limit, in the order of the log. Lists of numbers, since there may be many. */
interface KeyUse {
  /** In milliseconds since the epoch. */
  at: number[];
  remaining: number[];
  refused: boolean[];
  refusedCount: number;
}

const usesByLog = new WeakMap<readonly ExchangeRow[], { read: number; byKey: Map<string, KeyUse> }>();

/** The use of each key. A log grows in place, so each of its requests is read once. */
function usesIn(log: readonly ExchangeRow[], length: number): ReadonlyMap<string, KeyUse> {
  const known = usesByLog.get(log) ?? { read: 0, byKey: new Map<string, KeyUse>() };
  usesByLog.set(log, known);
  for (const { at, key_id: keyId, status, rate_limit_remaining: remaining } of log.slice(known.read)) {
    if (keyId === null || remaining === null) continue;
    const use = known.byKey.get(keyId) ?? { at: [], remaining: [], refused: [], refusedCount: 0 };
    known.byKey.set(keyId, use);
    use.at.push(Math.max(Date.parse(at), use.at.at(-1) ?? 0));
    use.remaining.push(remaining);
    use.refused.push(status === 429);
    if (status === 429) use.refusedCount++;
  }
  known.read = length;
  return known.byKey;
}

/** The key of the chart, and why it is that one unless a filter chose it. */
function chosenKey(uses: ReadonlyMap<string, KeyUse>): [keyId: string, reason: string] {
  const wanted = param("key");
  if (wanted !== "") return [wanted, ""];
  const [first] = [...uses].sort(
    ([, one], [, other]) => other.refusedCount - one.refusedCount || other.at.length - one.at.length,
  );
  if (first === undefined) return ["", ""];
  const [keyId, { refusedCount }] = first;
  return [keyId, refusedCount > 0 ? " (the most 429 responses)" : " (the most used)"];
}

type RateProps = Pick<Overview, "limits" | "policy"> & { use: KeyUse; count: number };

function RateChart({ use, count, limits, policy }: RateProps) {
  const until = now.value;
  const range = param("windows");
  const isSliding = policy.rate_limit_window === "sliding";
  const { windows, data } = useMemo(() => {
    const shown = range === "all" ? Number.POSITIVE_INFINITY : Number(range) || 10;
    return shownOf(use, { limits, isSliding, shown, until });
  }, [use, count, limits, isSliding, range, until]);
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
        table={() => (
          <Table
            columns={[
              ["Window from (UTC)", ({ from }: Window) => <Time at={from} ms />],
              ["Highest use", (window) => formatCount(window.highest), "number"],
              ["Limit", () => formatCount(limits.requests), "number"],
              ["Refused (429)", (window) => formatCount(window.refused), "number"],
            ]}
            items={windows.toReversed()}
            keyOf={({ from }) => String(from)}
          />
        )}
      />
    </>
  );
}

/** A window of the rate limit, from its first request. A sliding limit is shown in periods of the same length. */
interface Window {
  from: number;
  to: number;
  /** The index of its first request. */
  index: number;
  /** The most requests that counted at one time. */
  highest: number;
  refused: number;
}

function windowsOf({ at, remaining, refused }: KeyUse, requests: number, lengthMs: number): Window[] {
  const windows: Window[] = [];
  let current: Window | undefined;
  for (const [index, time] of at.entries()) {
    const used = requests - (remaining[index] ?? 0);
    if (current === undefined || time >= current.to) {
      // A fault may refuse a request before it is counted: then it starts no window.
      if (used <= 0 && refused[index] === false) continue;
      current = { from: time, to: time + lengthMs, index, highest: 0, refused: 0 };
      windows.push(current);
    }
    current.highest = Math.max(current.highest, used);
    if (refused[index] === true) current.refused++;
  }
  return windows;
}

/** The last windows with requests, and the curves in them: the use, the limit and the refused requests. */
function shownOf(
  use: KeyUse,
  options: { limits: Overview["limits"]; isSliding: boolean; shown: number; until: number },
): { windows: Window[]; data: uPlot.AlignedData } {
  const { limits, isSliding, shown, until } = options;
  const lengthMs = limits.window_seconds * 1000;
  const all = windowsOf(use, limits.requests, lengthMs);
  const end = all.at(-1)?.to ?? 0;
  const windows = all.filter(({ from }) => from >= end - shown * lengthMs);
  const times: number[] = [];
  const used: (number | null)[] = [];
  const refused: (number | null)[] = [];
  const add = (time: number, count: number | null, mark: number | null = null) => {
    times.push(time / 1000);
    used.push(count);
    refused.push(mark);
  };
  /** When the requests up to here no longer count. */
  let freeAt = Number.POSITIVE_INFINITY;
  let window = 0;
  for (let index = windows[0]?.index ?? use.at.length; index < use.at.length; index++) {
    const time = use.at[index] ?? 0;
    const count = Math.max(0, limits.requests - (use.remaining[index] ?? 0));
    if (time >= freeAt) add(freeAt, 0);
    const next = windows[window + 1];
    if (next !== undefined && index >= next.index) window++;
    freeAt = isSliding ? time + lengthMs : (windows[window]?.to ?? time);
    add(time, count, use.refused[index] === true ? count : null);
  }
  if (until >= freeAt) add(freeAt, 0);
  else if (until > (times.at(-1) ?? 0) * 1000) add(until, used.at(-1) ?? 0);
  // The last window is shown in full, also before its end.
  if (end > (times.at(-1) ?? 0) * 1000) add(end, until >= freeAt ? 0 : null);
  const [shownTimes, shownUsed = [], marks = []] = thinOut(times, [used, refused]);
  const limit = shownTimes.map(() => limits.requests);
  return { windows, data: [shownTimes, shownUsed, limit, marks] };
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

import type uPlot from "uplot";
import type { ExchangeRow, Overview } from "../../api.js";
import { thinOut } from "../../parts/thin-out.js";

/** The requests of one key that have a rate limit, in the order of the log. Lists of numbers, since there may be many. */
export interface KeyRequests {
  /** In milliseconds since the epoch. */
  at: number[];
  remaining: number[];
  refused: boolean[];
  refusedCount: number;
}

/** Whether the rate limit refused a request. The 429 of a fault says nothing about it. */
export function isBeyondLimit({ status, fault }: Pick<ExchangeRow, "status" | "fault">): boolean {
  return status === 429 && fault?.kind !== "status";
}

/** The use of each key. */
export function usesIn(log: readonly ExchangeRow[]): ReadonlyMap<string, KeyRequests> {
  const byKey = new Map<string, KeyRequests>();
  for (const request of log) {
    const { at, key_id: keyId, rate_limit_remaining: remaining } = request;
    if (keyId === null || remaining === null) continue;
    const use = byKey.get(keyId) ?? { at: [], remaining: [], refused: [], refusedCount: 0 };
    byKey.set(keyId, use);
    use.at.push(Math.max(Date.parse(at), use.at.at(-1) ?? 0));
    use.remaining.push(remaining);
    const isRefused = isBeyondLimit(request);
    use.refused.push(isRefused);
    if (isRefused) use.refusedCount++;
  }
  return byKey;
}

/** A window of the rate limit, from its first request. A sliding limit is shown in periods of the same length. */
export interface Window {
  from: number;
  to: number;
  /** The index of its first request. */
  index: number;
  /** The most requests that counted at one time. */
  highest: number;
  refused: number;
}

function windowsOf({ at, remaining, refused }: KeyRequests, requests: number, lengthMs: number): Window[] {
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
export function rateCurves(
  use: KeyRequests,
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

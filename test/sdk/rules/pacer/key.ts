import { MemoryPacer } from "../../../../src/rate-limit/memory-pacer.js";
import type { PacedRequest, RequestKind } from "../../../../src/rate-limit/pacer.js";
import { createTestClock, START, turns } from "../../../support/test-clock.js";

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What a process knows of its tenants before a fleet has reported any. */
export const UNREPORTED = { weights: new Map(), elsewhere: 0, used: new Map() };

/** The pacer of a key on a clock that only the test moves. Times are in milliseconds since the first one. */
export function createKey() {
  const clock = createTestClock({ skips: false });
  const pacer = new MemoryPacer(clock);

  /** A request that is due now: a poll of a task that is older than the task timeout is. */
  function dueNow(kind: RequestKind): PacedRequest {
    const now = clock.now();
    if (kind !== "poll") return { kind };
    const task = {
      model: "provider_a",
      type: "music",
      submittedAt: now - 2 * HOUR,
      unfinishedAt: now - HOUR,
    };
    return { kind, notBefore: now, dueBy: now, task };
  }

  /** Sends what is admitted now of so many requests, without responses. Returns how many were sent. */
  async function send(kind: RequestKind, most = 300): Promise<number> {
    const leaving = new AbortController();
    let sent = 0;
    const count = () => void sent++;
    for (let each = 0; each < most; each++) pacer.admit(dueNow(kind), leaving.signal).then(count, () => {});
    await turns(1);
    leaving.abort();
    return sent;
  }

  const respond = (remaining: number | null, sentAfterMs = clock.elapsed()) =>
    pacer.report({ sentAt: START + sentAfterMs, remaining, heldForMs: null });
  const hold = (heldForMs: number) => pacer.report({ sentAt: clock.now(), remaining: null, heldForMs });

  /** Sends requests that get their responses at once, each of which states one less. */
  async function request(kind: RequestKind, remaining: number | null, count = 1): Promise<void> {
    for (let each = 0; each < count; each++) {
      await pacer.admit(dueNow(kind));
      respond(remaining === null ? null : remaining - each);
    }
  }

  /** When a request that waits now is admitted, while only time passes. */
  async function admittedAt(kind: RequestKind): Promise<number> {
    let at = Number.NaN;
    const request = dueNow(kind);
    void pacer.admit(request).then(() => (at = clock.elapsed()));
    await turns(1);
    while (Number.isNaN(at)) await clock.advance(10);
    return at;
  }

  const at = (elapsedMs: number) => clock.jump(elapsedMs - clock.elapsed());
  const remaining = () => pacer.rateLimit().remaining;
  /** When the window ends. */
  const endsAt = () => {
    const { resetAt } = pacer.rateLimit();
    return resetAt === null ? null : resetAt - START;
  };
  return { clock, pacer, send, respond, hold, request, admittedAt, at, remaining, endsAt };
}

/** The start of the second window of a key; in the first, other programs sent this many requests for each poll. */
export async function createSecondWindow({ others = 0 } = {}) {
  const key = createKey();
  for (let sent = 0; sent < 10; sent++) {
    key.at(sent * 0.1 * MINUTE);
    await key.request("poll", 119 - sent * (1 + others));
  }
  key.at(MINUTE);
  await key.request("poll", 119);
  return { ...key, at: (sinceMs: number) => key.at(MINUTE + sinceMs), start: MINUTE };
}

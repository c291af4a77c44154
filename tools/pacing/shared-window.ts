import {
  type FleetSize,
  marginOf,
  READ_LASTS_MS,
  type SharedWindow,
  type TenantReport,
} from "../../src/databases/redis/shared-window.js";
import type { TaskEnd } from "../../src/rate-limit/schedule.js";
import type { Clock } from "../../src/time/clock.js";

/** A fleet's window on a test clock, without Redis. It behaves as the tests with Redis require. */
export function createSharedWindow(clock: Clock, size: FleetSize, latencyMs = 2): () => SharedWindow {
  const lastsMs = size.windowMs + marginOf(size);
  const reports = new Map<SharedWindow, TenantReport & { at: number }>();
  const reads = new Map<string, { reader: SharedWindow; until: number }>();
  const ends: { end: TaskEnd; member: SharedWindow }[] = [];
  const readBy = new Map<SharedWindow, number>();
  let [taken, endsAt, isHeld] = [0, 0, false];
  const isOpen = () => clock.now() < endsAt;
  const sumOf = (figure: keyof TenantReport) => {
    const all = new Map<string, number>();
    for (const report of reports.values())
      for (const [tenant, count] of report[figure]) {
        const freshness = figure === "used" ? Math.max(0, 1 - (clock.now() - report.at) / size.windowMs) : 1;
        all.set(tenant, (all.get(tenant) ?? 0) + count * freshness);
      }
    return all;
  };

  return () => ({
    async take(upTo) {
      await clock.sleep(latencyMs);
      if (!isOpen()) [taken, endsAt, isHeld] = [0, clock.now() + lastsMs, false];
      const isTaken = !isHeld && taken < upTo;
      if (isTaken) taken++;
      const use = { isTaken, isHeld, taken: isTaken ? taken : taken + 1, endsInMs: endsAt - clock.now() };
      await clock.sleep(latencyMs);
      return use;
    },
    async hold(ms) {
      const heldUntil = isOpen() && isHeld ? endsAt : 0;
      [endsAt, isHeld] = [Math.max(heldUntil, clock.now() + ms), true];
    },
    async correct(correction) {
      if (!isOpen() || isHeld || endsAt - clock.now() > correction.endsInMs) return;
      taken = Math.max(taken, correction.taken);
      endsAt = Math.max(endsAt, clock.now() + correction.lastsMs);
    },
    async giveBack(endsInMs) {
      if (!isOpen() || isHeld || endsAt - clock.now() > endsInMs) return;
      taken = Math.max(0, taken - 1);
      if (taken === 0) endsAt = clock.now();
    },
    async reserveRead(taskId) {
      await clock.sleep(latencyMs);
      const last = reads.get(taskId);
      if (last !== undefined && last.reader !== this && clock.now() < last.until)
        return last.until - clock.now();
      reads.set(taskId, { reader: this, until: clock.now() + READ_LASTS_MS.inFlight });
      return 0;
    },
    async noteRead(taskId) {
      const last = reads.get(taskId);
      if (last !== undefined && last.reader !== this && clock.now() < last.until) return;
      reads.set(taskId, { reader: this, until: clock.now() + READ_LASTS_MS.received });
    },
    async exchangeEnds(own) {
      const others = ends.slice(readBy.get(this) ?? 0).filter(({ member }) => member !== this);
      ends.push(...own.map((end) => ({ end, member: this })));
      readBy.set(this, ends.length);
      return others.map(({ end }) => end);
    },
    async reportTenants(own) {
      reports.set(this, { ...own, at: clock.now() });
      return { waiting: sumOf("waiting"), used: sumOf("used") };
    },
  });
}

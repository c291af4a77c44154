import { keepLatest } from "../journal/process-notes.js";
import { periodOf } from "./period.js";
import type { BudgetStore, OpenReservation } from "./store.js";

/** The most charged reservations of one period that are remembered per tenant, so that none is charged twice. */
const MOST_SETTLED = 100_000;

interface TenantAccount {
  readonly spent: Map<string, number>;
  readonly open: Map<string, OpenReservation>;
  readonly settled: Set<string>;
}

export function memoryStore(): BudgetStore {
  const accounts = new Map<string, TenantAccount>();
  let sweptTo = "";

  const accountOf = (tenant: string): TenantAccount => {
    const account = accounts.get(tenant) ?? { spent: new Map(), open: new Map(), settled: new Set() };
    accounts.set(tenant, account);
    return account;
  };
  const sweep = (oldest: string) => {
    if (oldest <= sweptTo) return;
    sweptTo = oldest;
    for (const [tenant, { spent, open, settled }] of accounts) {
      for (const period of spent.keys()) if (period < oldest) spent.delete(period);
      for (const [id, each] of open) if (periodOf(each) < oldest) open.delete(id);
      for (const id of settled) if (periodOf({ id }) < oldest) settled.delete(id);
      if (spent.size === 0 && open.size === 0) accounts.delete(tenant);
    }
  };

  return {
    async reserve({ reservation, key, maxCredits, oldest }) {
      sweep(oldest);
      const { spent, open, settled } = accountOf(reservation.tenant);
      const period = periodOf(reservation);
      const known = open.get(reservation.id);
      const isSettled = settled.has(reservation.id);
      const reserved = reservedIn(open.values(), period) - (known?.credits ?? 0);
      const used = { spent: spent.get(period) ?? 0, reserved };
      const fits = used.spent + used.reserved + reservation.credits <= maxCredits;
      if (fits && !isSettled) open.set(reservation.id, known ?? { ...reservation, key, taskId: null });
      return { isReserved: fits || isSettled, ...used };
    },
    async settle(reservation, credits) {
      const { spent, open, settled } = accountOf(reservation.tenant);
      open.delete(reservation.id);
      if (settled.has(reservation.id)) return;
      settled.add(reservation.id);
      keepLatest(settled, MOST_SETTLED);
      const period = periodOf(reservation);
      spent.set(period, (spent.get(period) ?? 0) + credits);
    },
    async free({ tenant, id }) {
      accounts.get(tenant)?.open.delete(id);
    },
    async name({ tenant, id }, taskId) {
      const open = accounts.get(tenant)?.open;
      const known = open?.get(id);
      if (known !== undefined) open?.set(id, { ...known, taskId });
    },
    async read(tenant, period) {
      const account = accounts.get(tenant);
      return { spent: account?.spent.get(period) ?? 0, open: [...(account?.open.values() ?? [])] };
    },
  };
}

function reservedIn(open: Iterable<OpenReservation>, period: string): number {
  let sum = 0;
  for (const each of open) if (periodOf(each) === period) sum += each.credits;
  return sum;
}

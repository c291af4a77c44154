import { computed, signal } from "@preact/signals";
import { param } from "./address.js";
import type {
  AccountSummary,
  ExchangeRow,
  Finding,
  FutureChange,
  LedgerEntry,
  Overview,
  TaskRow,
} from "./api.js";
import { isolated } from "./parts/format.js";

/** The state of the emulator on this page. Only `follow.ts` writes it. */

/** `lost` after the emulator was reachable, and is no longer. */
export const link = signal<"connecting" | "live" | "lost">("connecting");

/** `null` until the first response. */
export const overview = signal<Overview | null>(null);

/** The emulator's time in milliseconds since the epoch. Between two responses, a real clock is estimated. */
export const now = signal(0);

/** In the order of their creation. */
export const tasks = signal<readonly TaskRow[]>([]);

/** Whether the tasks up to now were received. */
export const areTasksLoaded = signal(false);

/** Oldest first. */
export const requests = signal<readonly ExchangeRow[]>([]);

/** Whether the latest requests up to now were received. */
export const isLogLoaded = signal(false);

/** Whether all earlier ones were received as well. */
export const isLogComplete = signal(false);

/** What the later version of the service that the emulator plays does in another way; empty for today's. */
export const futureChanges = signal<readonly FutureChange[]>([]);

export const findings = signal<readonly Finding[]>([]);

/** Whether the findings up to now were received, after the tasks. */
export const areFindingsLoaded = signal(false);

/** By account. */
export const ledgers = signal<Readonly<Record<string, readonly LedgerEntry[]>>>({});

/** Increases when data that is not kept here may have changed. */
export const revision = signal(0);

/** The account of the address, or the first one. */
export const account = computed<AccountSummary | null>(() => {
  const accounts = overview.value?.accounts ?? [];
  return accounts.find((each) => each.account_id === param("account")) ?? accounts[0] ?? null;
});

/** The account of the address if it does not exist: another one is shown. */
export const missingAccount = computed(() => {
  const named = param("account");
  return named === "" || account.value === null || account.value.account_id === named ? null : named;
});

export const accountId = computed(() => account.value?.account_id ?? "");

/** A request and its findings share this key: several requests may have one request ID. */
export function requestKey({ at, request_id: requestId }: { at: string; request_id: string }): string {
  return `${at} ${requestId}`;
}

const findingsByRequest = computed(() => Map.groupBy(findings.value, requestKey));

export function findingsOf(request: { at: string; request_id: string }): readonly Finding[] {
  return findingsByRequest.value.get(requestKey(request)) ?? [];
}

export interface BalanceAfter {
  entry: LedgerEntry;
  index: number;
  /** In milliseconds since the epoch. */
  at: number;
  available: number;
  frozen: number;
}

/** What each kind of entry changes, per credit. */
const EFFECTS: Readonly<Record<LedgerEntry["kind"], { available: number; frozen: number }>> = {
  top_up: { available: 1, frozen: 0 },
  freeze: { available: -1, frozen: 1 },
  settle: { available: 0, frozen: -1 },
  refund: { available: 1, frozen: -1 },
};

/** What the page calls each key: its name, or its last characters. */
export const keyNames = computed(() => {
  const keys = (overview.value?.accounts ?? []).flatMap((each) => each.keys);
  return new Map(
    keys.map(({ key_id: id, name, last_four: end }) => [
      id,
      name === "" ? `emu_…${end}` : `${isolated(name)} (…${end})`,
    ]),
  );
});

/** Whether the chosen account's ledger was received. */
export const isLedgerLoaded = computed(() => ledgers.value[accountId.value] !== undefined);

/** The chosen account's ledger with the balance after each entry, oldest first. */
export const balances = computed(() => {
  let available = 0;
  let frozen = 0;
  return (ledgers.value[accountId.value] ?? []).map((entry, index): BalanceAfter => {
    available += changeOf(entry);
    frozen += EFFECTS[entry.kind].frozen * entry.credits;
    return { entry, index, at: Date.parse(entry.at), available, frozen };
  });
});

/** The change of the available credits. */
export function changeOf({ kind, credits }: LedgerEntry): number {
  return EFFECTS[kind].available * credits;
}

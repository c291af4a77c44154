import { computed, signal } from "@preact/signals";
import type {
  AccountSummary,
  Finding,
  LedgerEntry,
  LoggedRequest,
  Overview,
  TaskRow,
} from "../client/client.js";
import { param } from "../place.js";

/** What the page knows of the emulator. Only `follow` writes here. */

/** Whether the emulator is heard; `lost` once it was and is no more. */
export const link = signal<"connecting" | "live" | "lost">("connecting");

/** `null` until it was first heard of. */
export const overview = signal<Overview | null>(null);

/** In the order of their creation. */
export const tasks = signal<readonly TaskRow[]>([]);

/** Oldest first. The list grows in place: its version says that it has. */
export const requests = signal<{ readonly list: readonly LoggedRequest[]; readonly version: number }>({
  list: [],
  version: 0,
});

export const findings = signal<readonly Finding[]>([]);

/** By account. */
export const ledgers = signal<Readonly<Record<string, readonly LedgerEntry[]>>>({});

/** Steps on whenever something may have changed that the page holds no copy of. */
export const beat = signal(0);

/** The chosen account; the first, where none is or the chosen one is gone. */
export const account = computed<AccountSummary | null>(() => {
  const accounts = overview.value?.accounts ?? [];
  return accounts.find((each) => each.account_id === param("account")) ?? accounts[0] ?? null;
});

export const ledger = computed(() => ledgers.value[account.value?.account_id ?? ""] ?? []);

/** What names a request beside a finding: clients may use one id for several. */
export function markOf({ at, request_id: requestId }: { at: string; request_id: string }): string {
  return `${at} ${requestId}`;
}

export const findingsByRequest = computed(() => {
  const found = new Map<string, Finding[]>();
  for (const finding of findings.value) {
    const mark = markOf(finding);
    found.set(mark, [...(found.get(mark) ?? []), finding]);
  }
  return found;
});

import { computed } from "@preact/signals";
import type { ExchangeRow } from "../api.js";
import { accountId, findings, findingsOf, overview, requestKey, requests, tasks } from "../store.js";

/** What belongs to the chosen account. With one account, everything, also requests without a valid key. */

export const isOneOfMany = computed(() => (overview.value?.accounts.length ?? 1) > 1);

/** Requests without a valid key belong to no account. */
export const keyless = computed(() =>
  requests.value.filter(({ account_id: id, status }) => id === null && status === 401),
);

function own<Item extends { readonly account_id: string | null }>(items: readonly Item[]): readonly Item[] {
  return items.filter((each) => !isOneOfMany.value || each.account_id === accountId.value);
}

export const log = computed(() => own(requests.value));

/** Whether a request got no response, a part of one, or no success other than a 429, which is counted apart. */
export function isFailedRequest(request: Pick<ExchangeRow, "status" | "ended" | "fault">): boolean {
  const { status, ended, fault } = request;
  if (status === null || ended === "broken_response" || fault?.kind === "malformed") return true;
  return status >= 300 && status !== 304 && status !== 429;
}

/** Whether a request failed or was refused with 429. */
export function isProblem(request: ExchangeRow): boolean {
  return isFailedRequest(request) || request.status === 429;
}

/** The task that a request created or read, else the one that its path names. */
export function taskIdOf({ task_id: id, path }: Pick<ExchangeRow, "task_id" | "path">): string | null {
  return id ?? /\/task\/([0-9a-f-]{36})$/i.exec(path)?.[1]?.toLowerCase() ?? null;
}

export function isFailedTask({ status }: { status: string }): boolean {
  return status === "failure" || status === "timeout";
}

export const failed = computed(() => log.value.filter(isFailedRequest));
export const limited = computed(() => log.value.filter(({ status }) => status === 429));
export const ownTasks = computed(() => own(tasks.value));
export const failedTasks = computed(() => ownTasks.value.filter(isFailedTask));
export const unfinished = computed(() => ownTasks.value.filter(({ completed_at: end }) => end === null));

export const requestsByKey = computed(
  () => new Map(log.value.map((request) => [requestKey(request), request])),
);
export const ownFindings = computed(() =>
  isOneOfMany.value
    ? findings.value.filter((each) => requestsByKey.value.has(requestKey(each)))
    : findings.value,
);

/** What went wrong in the other accounts, by account: failed tasks, and requests that failed or broke a rule. */
export const problemsElsewhere = computed(() => {
  const isWrong = (request: ExchangeRow) => isProblem(request) || findingsOf(request).length > 0;
  const all: readonly { account_id: string | null }[] = [
    ...requests.value.filter(isWrong),
    ...tasks.value.filter(isFailedTask),
  ];
  const counts = new Map<string, number>();
  for (const { account_id: id } of all)
    if (id !== null && id !== accountId.value) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
});

import { computed } from "@preact/signals";
import type { ExchangeRow } from "../api.js";
import { accountId, findings, overview, requestKey, requests, tasks } from "../store.js";

/** What belongs to the chosen account. With one account, everything, also requests without a valid key. */

export const isOneOfMany = computed(() => (overview.value?.accounts.length ?? 1) > 1);

function own<Item extends { readonly account_id: string | null }>(items: readonly Item[]): readonly Item[] {
  return items.filter((each) => !isOneOfMany.value || each.account_id === accountId.value);
}

export const log = computed(() => own(requests.value));

/** Whether a request got no response or an error, other than a 429, which is counted apart. */
export function isFailedRequest({ status }: Pick<ExchangeRow, "status">): boolean {
  return status === null || (status >= 400 && status !== 429);
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

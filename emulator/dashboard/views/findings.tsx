import { computed } from "@preact/signals";
import { LIMITS } from "../../../src/contract/service.js";
import type { ExchangeRow, Finding } from "../api.js";
import { Empty, HttpStatus, Section, Time } from "../parts/display.js";
import { formatAmount, formatCount, shortId } from "../parts/format.js";
import { withCode } from "../parts/json.js";
import { type Column, Table } from "../parts/table.js";
import { requestKey } from "../store.js";
import { log, ownFindings, requestsByKey } from "./own.js";
import { FindingDetail, RequestLink, RuleName } from "./request-link.js";

/** What each rule requires of a client. */
const RULES: Readonly<Record<Finding["rule"], string>> = {
  polled_too_often: `A task may be read at most once in ${formatCount(LIMITS.shortestPollIntervalMs)} ms. Wait 5 to 10 s between two reads.`,
  resubmitted_after_unknown_outcome:
    "A POST whose outcome is unknown may have created a task. Sent again, it can charge twice.",
  ignored_retry_after:
    "After a response with `Retry-After`, the same request may not be sent again before that wait is over.",
  resent_not_retryable:
    "A task that failed with `retryable: false` fails again, whenever the same request is sent.",
};

interface FoundRequest {
  readonly finding: Finding;
  readonly request: ExchangeRow | undefined;
  /** From the read of the task before this one, in milliseconds; `null` unless it is a read. */
  readonly gapMs: number | null;
}

/** By rule, the most frequent first, each with its latest requests first. */
const groups = computed(() => {
  const gaps = readGaps();
  const found = ownFindings.value.map((finding): FoundRequest => {
    const key = requestKey(finding);
    return { finding, request: requestsByKey.value.get(key), gapMs: gaps.get(key) ?? null };
  });
  const byRule = Map.groupBy(found.toReversed(), ({ finding }) => finding.rule);
  return [...byRule].sort(([, one], [, other]) => other.length - one.length);
});

/** The time since the read of the same task before each read. The audit ignores those of this page. */
function readGaps(): Map<string, number> {
  const gaps = new Map<string, number>();
  const reads = new Map<string, number>();
  for (const request of log.value) {
    const { method, task_id: id, at, manual } = request;
    if (method !== "GET" || id === null || manual) continue;
    const time = Date.parse(at);
    const before = reads.get(id);
    if (before !== undefined) gaps.set(requestKey(request), time - before);
    reads.set(id, time);
  }
  return gaps;
}

const COLUMNS: readonly Column<FoundRequest>[] = [
  ["Time (UTC)", ({ finding }) => <Time at={finding.at} ms />],
  [
    "Request",
    ({ finding, request }) =>
      request === undefined ? <code>{finding.request_id}</code> : <RequestLink request={request} />,
  ],
  ["Status", ({ request }) => request !== undefined && <HttpStatus status={request.status} />],
];

const GAP: Column<FoundRequest> = [
  "Since the read before",
  ({ gapMs }) => (gapMs === null ? "" : `${formatCount(gapMs)} ms`),
  "number",
];

const DETAIL: Column<FoundRequest> = [
  "What happened",
  ({ finding }) => <FindingDetail finding={finding} />,
  "wide",
];

/** The requests that broke a rule of the service, by rule. */
export function FindingsView() {
  return (
    <>
      <h1>Findings</h1>
      {groups.value.length === 0 && <Empty>No request broke a rule of the service.</Empty>}
      {groups.value.map(([rule, found]) => (
        <Section
          key={rule}
          title={<RuleName rule={rule} />}
          aside={<small>{formatAmount(found.length, "request")}</small>}
        >
          <p>
            {withCode(RULES[rule])} {worstOf(found)}
          </p>
          <Table
            columns={
              found.some(({ gapMs }) => gapMs !== null) ? [...COLUMNS, GAP, DETAIL] : [...COLUMNS, DETAIL]
            }
            items={found}
            keyOf={({ finding, request }) => `${requestKey(finding)} ${request?.number}`}
          />
        </Section>
      ))}
    </>
  );
}

/** Of reads that came too early: the shortest time, and the task. */
function worstOf(found: readonly FoundRequest[]): string {
  const [worst] = found
    .filter(({ gapMs }) => gapMs !== null)
    .sort((one, other) => (one.gapMs ?? 0) - (other.gapMs ?? 0));
  if (worst?.request?.task_id == null) return "";
  return `The worst: ${formatCount(worst.gapMs ?? 0)} ms, of task ${shortId(worst.request.task_id)}.`;
}

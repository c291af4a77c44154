import type { Task } from "../../../../src/contract/task.js";
import { linkTo } from "../../address.js";
import type { ExchangeRow, TaskDetails } from "../../api.js";
import { Time } from "../../parts/display.js";
import { formatAmount, formatCount, formatDuration, shortId } from "../../parts/format.js";
import { now } from "../../store.js";
import { RequestLink } from "../request-link.js";
import {
  creationsOf,
  expiresAt,
  readsOf,
  type Segment,
  segmentsOf,
  spanMs,
  textOf,
  timeoutAt,
} from "./segments.js";
import { percentIn } from "./time-axis.js";

interface TimelineEvent {
  at: number;
  text: string;
  note?: string;
  /** The requests that are the event. Several share one line. */
  requests?: readonly ExchangeRow[];
}

/** What happened to a task, and what will, on an axis that is to scale up to now or to the read that discovered the end. */
export function Timeline({ details, task }: { details: TaskDetails; task: Task }) {
  const created_at = task.created_at ?? "";
  const startedAt = Date.parse(created_at);
  const events = eventsOf(details, task);
  const segments = segmentsOf({ ...details.plan, ...details, created_at }, now.value);
  const until = segments.at(-1)?.to ?? startedAt;
  const reads = readsOf(task.task_id).map((read) => Date.parse(read.at));
  return (
    <ol class="timeline">
      {events.map(({ at, text, note, requests = [] }, index) => {
        const isAhead = at > now.value;
        const next = Math.max(at, Math.min(until, events[index + 1]?.at ?? until));
        const begun = segments.filter(({ from }) => from >= at && from < next);
        const [first, second] = requests;
        return (
          <li
            key={index}
            class={isAhead ? "ahead" : ""}
            style={{ "--share": (next - at) / Math.max(1, until - startedAt) }}
          >
            {index < events.length - 1 && <Rail segments={segments} reads={reads} from={at} to={next} />}
            <strong>
              {first === undefined ? (
                text
              ) : second === undefined ? (
                <RequestLink request={first}>{text}</RequestLink>
              ) : (
                <a href={linkTo("/requests", { q: `task:${task.task_id}` })}>{text}</a>
              )}
            </strong>{" "}
            {note}
            <br />
            <small>
              <Time at={at} />
              {at > startedAt && ` · after ${formatDuration(spanMs(startedAt, at))}`}
              {isAhead && ` · in ${formatDuration(spanMs(now.value, at))}`}
            </small>
            {begun.length > 0 && (
              <small class="legend">
                {begun.map((segment) => (
                  <span key={segment.kind} class={segment.kind}>
                    {textOf(segment, task.status)}
                  </span>
                ))}
              </small>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** The axis from one event to the next, with what the task did, and a tick for each read. */
function Rail(props: { segments: readonly Segment[]; reads: readonly number[]; from: number; to: number }) {
  const { segments, reads, from, to } = props;
  const percent = (at: number) => percentIn({ from, to }, Math.min(Math.max(at, from), to));
  const ticks = reads.filter((at) => at > from && at < to).map((at) => `M0 ${percent(at)}H10`);
  return (
    <svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
      <path class="grid" d="M5 0V100" />
      {segments.map((segment) => (
        <rect
          key={segment.kind}
          class={segment.kind}
          x="3"
          width="4"
          y={percent(segment.from)}
          height={percent(segment.to) - percent(segment.from)}
        />
      ))}
      <path class="read" d={ticks.join("")} />
    </svg>
  );
}

/** The plan of the provider, the credits, and the requests of a task, by time. At one time, a cause precedes its effect. */
function eventsOf({ plan, ledger, reads, ...details }: TaskDetails, task: Task): readonly TimelineEvent[] {
  const { task_id: taskId, status } = task;
  const createdAt = Date.parse(task.created_at ?? "");
  const timesOutAt = timeoutAt(task.created_at);
  const worksFrom = Date.parse(plan.works_from);
  const endsAt = Date.parse(plan.ends_at ?? "");
  // While the task is unfinished, no comparison with this time is true.
  const completedAt = Date.parse(task.completed_at ?? "");
  const audioUntil = expiresAt(task.completed_at);
  const isOpen = task.completed_at === null;
  const endsInTime = endsAt < timesOutAt;
  const isUnread = status === "timeout" && endsInTime;
  const cause = status === "timeout" ? "by the task timeout" : `because of ${task.error_code}`;
  const credits = ledger.map((entry) => ({
    at: Date.parse(entry.at),
    text: `${formatAmount(entry.credits, "credit")} ${CREDITS[entry.kind]}`,
    note: entry.kind === "refund" ? cause : "",
  }));
  const events: readonly (TimelineEvent | false)[] = [
    { at: createdAt, text: "Accepted", requests: creationsOf(taskId) },
    ...credits.slice(0, 1),
    plan.ends_at_read === null &&
      !(worksFrom >= completedAt) && { at: worksFrom, text: "The provider starts" },
    ...readEvents(taskId, details.discovered_at),
    isOpen &&
      !endsInTime && {
        at: timesOutAt,
        text: "Timeout",
        note:
          plan.ends_at_read === null ? "" : `(unless read ${formatAmount(plan.ends_at_read, "time")} before)`,
      },
    ((isOpen && endsInTime) || isUnread) && {
      at: endsAt,
      text: `The provider ends: ${plan.outcome}`,
      note: isOpen ? "(seen at the next read)" : "(not read)",
    },
    !isOpen && {
      at: completedAt,
      text: `Ended: ${status}`,
      note: isUnread ? (reads === 0 ? "(never read)" : "(not read again)") : "",
    },
    ...credits.slice(1),
    Array.isArray(task.output?.result) && {
      at: audioUntil,
      text: audioUntil > now.value ? "The audio expires" : "The audio expired",
    },
  ];
  return events.filter((event) => event !== false).sort((one, other) => one.at - other.at);
}

const CREDITS = { top_up: "topped up", freeze: "frozen", settle: "settled", refund: "refunded" } as const;

const MAX_READS = 4;

/** Of many reads, the first one and the one that discovered the end have lines of their own. */
function readEvents(taskId: string, foundAt: string | null): readonly TimelineEvent[] {
  const reads = readsOf(taskId);
  const found = foundAt === null ? -1 : reads.findIndex(({ at, status }) => at >= foundAt && status !== 429);
  const cuts = new Set(reads.length > MAX_READS ? [0, 1, found, found + 1] : reads.keys());
  const starts = [...cuts].filter((cut) => cut >= 0).sort((one, other) => one - other);
  return starts.flatMap((from, index) => {
    const requests = reads.slice(from, starts[index + 1]);
    const [first, second] = requests;
    if (first === undefined) return [];
    const note =
      second === undefined
        ? `${first.status ?? "no response"} · ${shortId(first.request_id)}`
        : countsOf(requests);
    return {
      at: Date.parse(first.at),
      text: second === undefined ? "Read" : `Read ${formatAmount(requests.length, "more time")}`,
      note: from === found ? `${note} · discovered the end` : note,
      requests,
    };
  });
}

/** Such as `19 × 200, 41 × 429`. */
function countsOf(reads: readonly ExchangeRow[]): string {
  const byStatus = Map.groupBy(reads, ({ status }) => status ?? "no response");
  return Array.from(byStatus, ([status, { length }]) => `${formatCount(length)} × ${status}`).join(", ");
}

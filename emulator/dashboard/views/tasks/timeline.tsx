import { LIMITS } from "../../../../src/contract/service.js";
import type { Task } from "../../../../src/contract/task.js";
import { linkTo } from "../../address.js";
import type { ExchangeRow, TaskDetails } from "../../api.js";
import { Time } from "../../parts/display.js";
import { formatAmount, formatCount, formatDuration, shortId } from "../../parts/format.js";
import { now } from "../../store.js";
import { RequestLink } from "../request-link.js";
import { creationOf, readsOf, type Segment, segmentsOf, spanMs, textOf } from "./segments.js";
import { percentIn } from "./time-axis.js";

interface TimelineEvent {
  at: number;
  text: string;
  note?: string;
  /** The requests that are the event. Several share one line. */
  requests?: readonly ExchangeRow[];
}

/** What happened to a task, and what will, on an axis that is drawn to scale up to now or to the read that discovered its end. */
export function Timeline({ details, task }: { details: TaskDetails; task: Task }) {
  const { plan, discovered_at } = details;
  const created_at = task.created_at ?? "";
  const startedAt = Date.parse(created_at);
  const events = eventsOf(details, task);
  const segments = segmentsOf({ ...plan, created_at, discovered_at }, now.value);
  const until = segments.at(-1)?.to ?? startedAt;
  const reads = readsOf(task.task_id).map((read) => Date.parse(read.at));
  return (
    <ol class="timeline">
      {events.map((event, index) => {
        const { at, text, note } = event;
        const isAhead = at > now.value;
        const next = Math.max(at, Math.min(until, events[index + 1]?.at ?? until));
        const begun = segments.filter(({ from }) => from >= at && from < next);
        return (
          <li
            key={`${at} ${text}`}
            class={isAhead ? "ahead" : ""}
            style={{ "--share": (next - at) / Math.max(1, until - startedAt) }}
          >
            <Rail segments={segments} reads={reads} from={at} to={next} />
            <strong>
              <EventLink taskId={task.task_id} event={event} />
            </strong>
            {note !== undefined && <span> {note}</span>}
            <br />
            <small>
              <Time at={at} />
              {at > startedAt && ` · after ${formatDuration(spanMs(startedAt, at))}`}
              {isAhead && ` · in ${formatDuration(spanMs(now.value, at))}`}
            </small>
            {begun.map((segment) => (
              <small key={segment.kind} class={`phase ${segment.kind}`}>
                {textOf(segment, task.status)}
              </small>
            ))}
          </li>
        );
      })}
    </ol>
  );
}

function EventLink({ taskId, event: { text, requests = [] } }: { taskId: string; event: TimelineEvent }) {
  const [request, ...more] = requests;
  if (request === undefined) return <>{text}</>;
  if (more.length === 0) return <RequestLink request={request}>{text}</RequestLink>;
  return <a href={linkTo("/requests", { task: taskId })}>{text}</a>;
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
function eventsOf(
  { plan, ledger, reads, discovered_at: foundAt }: TaskDetails,
  task: Task,
): readonly TimelineEvent[] {
  const createdAt = Date.parse(task.created_at ?? "");
  const worksFrom = Date.parse(plan.works_from);
  const endsAt = Date.parse(plan.ends_at ?? "");
  const creation = creationOf(task.task_id);
  const events: TimelineEvent[] = [
    { at: createdAt, text: "Accepted", ...(creation !== undefined && { requests: [creation] }) },
  ];
  const addCredits = (isFreeze: boolean, note = "") => {
    const moved = ledger.filter(({ kind }) => (kind === "freeze") === isFreeze);
    for (const entry of moved)
      events.push({
        at: Date.parse(entry.at),
        text: creditsText(entry),
        ...(entry.kind === "refund" && { note }),
      });
  };
  addCredits(true);
  if (plan.ends_at_read === null && !(worksFrom >= Date.parse(task.completed_at ?? "")))
    events.push({ at: worksFrom, text: "The provider starts" });
  events.push(...readEvents(task.task_id, foundAt));
  const providerEnd = { at: endsAt, text: `The provider ends: ${plan.outcome}` };
  if (task.completed_at === null) {
    const timeout = { at: createdAt + LIMITS.taskTimeoutMs + 1, text: "Timeout" };
    events.push(endsAt < timeout.at ? { ...providerEnd, note: "(seen at the next read)" } : timeout);
  } else {
    const completedAt = Date.parse(task.completed_at);
    const ended = { at: completedAt, text: `Ended: ${task.status}` };
    // The provider ended it, but no read came before the task timeout.
    if (task.status === "timeout" && endsAt < completedAt) {
      events.push({ ...providerEnd, note: "(not read)" });
      events.push({ ...ended, note: reads === 0 ? "(never read)" : "(not read again)" });
    } else {
      events.push(ended);
    }
    addCredits(false, task.status === "timeout" ? "by the task timeout" : `because of ${task.error_code}`);
    const expiresAt = completedAt + LIMITS.audioLifetimeMs;
    if (Array.isArray(task.output?.result))
      events.push({ at: expiresAt, text: expiresAt > now.value ? "The audio expires" : "The audio expired" });
  }
  return events.sort((one, other) => one.at - other.at);
}

const MAX_READS = 4;

/** Of many reads, the first one and the one that discovered the end have lines of their own. */
function readEvents(taskId: string, foundAt: string | null): readonly TimelineEvent[] {
  const reads = readsOf(taskId);
  const found = reads.find(({ at, status }) => at === foundAt && status !== 429);
  const cuts = new Set(
    reads.flatMap((read, index) => {
      const isAlone = index === 0 || read === found || reads.length <= MAX_READS;
      return isAlone ? [index, index + 1] : [];
    }),
  );
  return [...cuts].flatMap((from, index, all) => {
    const group = reads.slice(from, all[index + 1]);
    const [first] = group;
    if (first === undefined) return [];
    const isOne = group.length === 1;
    const note = isOne ? `${statusOf(first)} · ${shortId(first.request_id)}` : countsOf(group);
    return {
      at: Date.parse(first.at),
      text: isOne ? "Read" : `Read ${formatAmount(group.length, "more time")}`,
      note: first === found ? `${note} · discovered the end` : note,
      requests: group,
    };
  });
}

function statusOf({ status }: ExchangeRow): string {
  return status === null ? "no response" : String(status);
}

/** Such as `19 × 200, 41 × 429`. */
function countsOf(reads: readonly ExchangeRow[]): string {
  const counts = new Map<string, number>();
  for (const read of reads) counts.set(statusOf(read), (counts.get(statusOf(read)) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${formatCount(count)} × ${status}`).join(", ");
}

const CREDITS = { top_up: "topped up", freeze: "frozen", settle: "settled", refund: "refunded" } as const;

/** `5 credits refunded` */
function creditsText({ kind, credits }: TaskDetails["ledger"][number]): string {
  return `${formatAmount(credits, "credit")} ${CREDITS[kind]}`;
}

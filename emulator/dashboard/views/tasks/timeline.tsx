import type { Task } from "../../../../src/contract/task.js";
import type { TaskDetails } from "../../api.js";
import { Time } from "../../parts/display.js";
import { formatAmount, formatCount, formatDuration, shortId } from "../../parts/format.js";
import { now } from "../../store.js";
import { AUDIO_LIFETIME_MS } from "./clips.js";
import { isRefundedUnread, readsOf } from "./task-bar.js";

export const HOUR_MS = 3_600_000;

export function Timeline({ details, task }: { details: TaskDetails; task: Task }) {
  const startedAt = Date.parse(task.created_at ?? "");
  return (
    <ol class="timeline">
      {eventsOf(details, task).map(({ at, text, note }) => {
        const isAhead = at > now.value;
        return (
          <li key={`${at} ${text}`} class={isAhead ? "ahead" : ""}>
            <strong>{text}</strong>
            {note !== undefined && <span> {note}</span>}
            <br />
            <small>
              <Time at={at} />
              {at > startedAt && ` · after ${formatDuration(at - startedAt)}`}
              {isAhead && ` · in ${formatDuration(at - now.value)}`}
            </small>
          </li>
        );
      })}
    </ol>
  );
}

export interface TimelineEvent {
  at: number;
  text: string;
  note?: string;
}

/** The plan of the provider, the credits, and the reads of a task, by time. At one time, a cause precedes its effect. */
function eventsOf({ plan, ledger, reads }: TaskDetails, task: Task): readonly TimelineEvent[] {
  const createdAt = Date.parse(task.created_at ?? "");
  const worksFrom = Date.parse(plan.works_from);
  const events: TimelineEvent[] = [{ at: createdAt, text: "Accepted" }];
  const addCredits = (isFreeze: boolean) => {
    const moved = ledger.filter(({ kind }) => (kind === "freeze") === isFreeze);
    events.push(...moved.map((entry) => ({ at: Date.parse(entry.at), text: creditsText(entry) })));
  };
  addCredits(true);
  if (plan.ends_at_read === null && !(worksFrom >= Date.parse(task.completed_at ?? "")))
    events.push({ at: worksFrom, text: "The provider starts" });
  events.push(...readEvents(task.task_id));
  if (task.completed_at === null) {
    const timeout = { at: createdAt + HOUR_MS + 1, text: "Timeout" };
    const endsAt = Date.parse(plan.ends_at ?? "");
    const end = { at: endsAt, text: `The provider ends: ${plan.outcome}`, note: "(seen at the next read)" };
    events.push(endsAt < timeout.at ? end : timeout);
  } else {
    const completedAt = Date.parse(task.completed_at);
    const ended = { at: completedAt, text: `Ended: ${task.status}` };
    if (isRefundedUnread(task.status, plan.ends_at, completedAt)) {
      const text = `The provider ends: ${plan.outcome}`;
      events.push({ at: Date.parse(plan.ends_at ?? ""), text, note: "(not read)" });
      const unread = reads === 0 ? "never read" : "not read again";
      events.push({ ...ended, note: `(${unread}; the task timeout refunded it)` });
    } else {
      events.push(ended);
    }
    addCredits(false);
    if (Array.isArray(task.output?.result))
      events.push({ at: completedAt + AUDIO_LIFETIME_MS, text: "The audio expires" });
  }
  return events.sort((one, other) => one.at - other.at);
}

const MAX_READS = 4;

function readEvents(taskId: string): readonly TimelineEvent[] {
  const reads = readsOf(taskId).map(({ at, status, request_id: id }) => ({
    at: Date.parse(at),
    text: "Read",
    note: `${status ?? "no response"} · ${shortId(id)}`,
    status: status ?? "no response",
  }));
  const [first, second] = reads;
  if (reads.length <= MAX_READS || first === undefined || second === undefined) return reads;
  const counts = new Map<number | string, number>();
  for (const { status } of reads.slice(1)) counts.set(status, (counts.get(status) ?? 0) + 1);
  const note = [...counts].map(([status, count]) => `${formatCount(count)} × ${status}`).join(", ");
  return [first, { at: second.at, text: `Read ${formatAmount(reads.length - 1, "more time")}`, note }];
}

const CREDITS = { top_up: "topped up", freeze: "frozen", settle: "settled", refund: "refunded" } as const;

/** `5 credits refunded` */
export function creditsText({ kind, credits }: TaskDetails["ledger"][number]): string {
  return `${formatAmount(credits, "credit")} ${CREDITS[kind]}`;
}

import type { Task } from "../../../../src/contract/task.js";
import type { TaskDetails, TaskRow } from "../../api.js";
import { formatDuration } from "../../parts/format.js";
import { now, requests } from "../../store.js";

type TaskTimes = Pick<TaskRow, "created_at" | "works_from" | "ends_at" | "discovered_at">;

interface Segment {
  kind: "queued" | "running" | "unnoticed";
  from: number;
  to: number;
}

/** The parts of a task up to now. `unnoticed` is the time between its end and the read that discovered it. */
export function segmentsOf(times: TaskTimes, now: number): Segment[] {
  const createdAt = Date.parse(times.created_at);
  const until = times.discovered_at === null ? now : Date.parse(times.discovered_at);
  const endedAt = Math.min(until, times.ends_at === null ? until : Date.parse(times.ends_at));
  const startedAt = Math.min(endedAt, Date.parse(times.works_from));
  const segments: Segment[] = [
    { kind: "queued", from: createdAt, to: startedAt },
    { kind: "running", from: startedAt, to: endedAt },
    { kind: "unnoticed", from: endedAt, to: until },
  ];
  return segments.filter(({ from, to }) => to > from);
}

const TEXTS = {
  queued: "queued",
  running: "running",
  unnoticed: "ended, but no read had discovered it",
} as const;

/** Whether a task ended at its provider, but the task timeout refunded it, since no read came between. */
export function isRefundedUnread(status: string, endsAt: string | null, completedAt: number): boolean {
  return status === "timeout" && endsAt !== null && Date.parse(endsAt) < completedAt;
}

function textOf(kind: Segment["kind"], status: string): string {
  if (kind === "unnoticed" && status === "timeout")
    return "ended, but not read; the task timeout refunded it";
  return TEXTS[kind];
}

/** A task drawn to scale, with each of its reads. The list below the bar has the same as text. */
export function TaskBar({ details: { plan, discovered_at }, task }: { details: TaskDetails; task: Task }) {
  const created_at = task.created_at ?? "";
  const segments = segmentsOf({ ...plan, created_at, discovered_at }, now.value);
  const [first] = segments;
  const until = segments.at(-1)?.to ?? 0;
  if (first === undefined) return null;
  const percent = (at: number) => (100 * (at - first.from)) / (until - first.from);
  const reads = readsOf(task.task_id)
    .map(({ at }) => Date.parse(at))
    .filter((at) => at <= until);
  return (
    <div class="task-bar">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        {segments.map(({ kind, from, to }) => (
          <rect
            key={kind}
            class={kind}
            x={percent(from)}
            width={percent(to) - percent(from)}
            y="0"
            height="7"
          />
        ))}
        {reads.map((at) => (
          <path key={at} class="read" d={`M${percent(at)} 0V10`} />
        ))}
      </svg>
      <ul>
        {segments.map(({ kind, from, to }) => (
          <li key={kind} class={kind}>
            {formatDuration(to - from)} {textOf(kind, task.status)}
          </li>
        ))}
        <li class="read">{reads.length === 0 && task.status === "timeout" ? "never read" : "each read"}</li>
      </ul>
    </div>
  );
}

/** The reads of a task. */
export function readsOf(taskId: string) {
  return requests.value.filter((request) => request.method === "GET" && request.task_id === taskId);
}

/** Tasks on one scale of time: how long each was queued and running, and how late a read discovered its end. */
export function GanttBar({ task, from, until }: { task: TaskRow; from: number; until: number }) {
  const percent = (at: number) => (100 * (at - from)) / Math.max(1, until - from);
  const segments = segmentsOf(task, now.value);
  const parts = segments.map(
    ({ kind, from: began, to }) => `${formatDuration(to - began)} ${textOf(kind, task.status)}`,
  );
  const text = parts.join(", ") || "just created";
  return (
    <svg class="gantt-bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      {segments.map(({ kind, from: began, to }) => (
        <rect
          key={kind}
          class={kind}
          x={percent(began)}
          width={Math.max(0.15, percent(to) - percent(began))}
          y="2"
          height="6"
        />
      ))}
    </svg>
  );
}

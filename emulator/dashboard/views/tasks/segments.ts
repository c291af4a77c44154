import { computed } from "@preact/signals";
import { LIMITS } from "../../../../src/contract/service.js";
import type { ExchangeRow, TaskRow } from "../../api.js";
import { formatDuration } from "../../parts/format.js";
import { requests } from "../../store.js";
import { taskIdOf } from "../own.js";

type TaskTimes = Pick<TaskRow, "created_at" | "works_from" | "ends_at" | "discovered_at">;

export interface Segment {
  kind: "queued" | "running" | "unnoticed";
  from: number;
  to: number;
}

/** When an unfinished task becomes a timeout. */
export function timeoutAt(createdAt: string | null): number {
  return Date.parse(createdAt ?? "") + LIMITS.taskTimeoutMs + 1;
}

/** When the audio of a finished task expires. `NaN` for an unfinished one. */
export function expiresAt(completedAt: string | null): number {
  return Date.parse(completedAt ?? "") + LIMITS.audioLifetimeMs;
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

/** Such as `20 seconds running`. */
export function textOf({ kind, from, to }: Segment, status: string): string {
  const isRefunded = kind === "unnoticed" && status === "timeout";
  const text = isRefunded ? "ended, but not read; the task timeout refunded it" : TEXTS[kind];
  return `${formatDuration(spanMs(from, to))} ${text}`;
}

/** From one time to another in whole seconds, as the page shows these times. */
export function spanMs(from: number, to: number): number {
  return 1000 * (Math.floor(to / 1000) - Math.floor(from / 1000));
}

/** The requests of each task, by method, oldest first. */
const requestsByTask = computed(() =>
  Map.groupBy(requests.value, (request) => `${request.method} ${ownTaskIdOf(request)}`),
);

/** Of a request that came with a snapshot, only the path tells the task. A 401 or 404 did not read it. */
function ownTaskIdOf(request: ExchangeRow): string | null {
  const { number, status, task_id: id } = request;
  return number === null && status !== 401 && status !== 404 ? taskIdOf(request) : id;
}

/** The request that created the task; none if it is no longer logged. */
export function creationsOf(taskId: string): readonly ExchangeRow[] {
  return requestsByTask.value.get(`POST ${taskId}`) ?? [];
}

export function readsOf(taskId: string): readonly ExchangeRow[] {
  return requestsByTask.value.get(`GET ${taskId}`) ?? [];
}

import { linkTo, param, setParam } from "../../address.js";
import type { TaskRow } from "../../api.js";
import { Button, Status, Time } from "../../parts/display.js";
import { useEscape } from "../../parts/escape.js";
import { formatAmount, formatDuration, formatTime, shortId } from "../../parts/format.js";
import { Rows } from "../../parts/rows.js";
import { now } from "../../store.js";
import { readsOf, segmentsOf, spanMs, textOf } from "./segments.js";
import { percentIn, TimeAxis, type TimeRange, ticksOf } from "./time-axis.js";

/** Of the tasks, unless all are wanted. */
const LATEST = 50;
/** Of a segment, so that a short one is visible. */
const LEAST_PERCENT = 0.3;

/** Tasks on one scale of time, so that bad polling is visible. */
export function Gantt({ shown }: { shown: readonly TaskRow[] }) {
  useEscape(resetZoom);
  const chosen = param("show") === "all" ? shown : shown.slice(-LATEST);
  const zoom = zoomOf(param("zoom"));
  const whole = rangeOf(chosen);
  const range = zoom ?? whole;
  const inRange = chosen.filter((task) => {
    const { from, to } = rangeOf([task]);
    return from <= range.to && to >= range.from;
  });
  // The last one stands at the top.
  const tasks =
    param("sort") === "wait" ? inRange.toSorted((one, other) => waitOf(one) - waitOf(other)) : inRange;
  const waited = tasks.reduce((sum, task) => sum + waitOf(task), 0);
  return (
    <>
      <div class="heading">
        <h2>Tasks that had ended waited {formatDuration(waited)} for a read</h2>
        <span>
          <Time at={range.from} /> to <Time at={range.to} />{" "}
          <ZoomSlider end="from" whole={whole} range={range} />{" "}
          <ZoomSlider end="to" whole={whole} range={range} />{" "}
          {zoom !== null && <Button onClick={resetZoom}>Reset the zoom</Button>}
        </span>
      </div>
      <ul class="legend">
        <li class="queued">queued</li>
        <li class="running">running</li>
        <li class="unnoticed">ended, but no read had discovered it (or none before the task timeout)</li>
        <li class="read">a read</li>
      </ul>
      <Rows
        label="Gantt"
        keyOf={({ task_id: id }) => id}
        columns={[
          ["Task", (task) => <About task={task} />],
          ["Status", (task) => <Status of={task.status} />],
          ["Waited", (task) => formatDuration(waitOf(task)), "number"],
          [<TimeAxis range={range} onSelect={zoomTo} />, (task) => <Bar task={task} range={range} />],
        ]}
        items={tasks}
      />
    </>
  );
}

function zoomTo({ from, to }: TimeRange): void {
  setParam("zoom", `${from}-${to}`);
}

function resetZoom(): void {
  setParam("zoom", "");
}

/** Moves one end of the shown range, also with the keyboard. */
function ZoomSlider(props: { end: keyof TimeRange; whole: TimeRange; range: TimeRange }) {
  const { end, whole, range } = props;
  const { from, to } = range;
  const select = (at: number) =>
    zoomTo(end === "from" ? { from: Math.min(at, to - 1), to } : { from, to: Math.max(at, from + 1) });
  return (
    <input
      type="range"
      class="zoom"
      aria-label={end === "from" ? "Start of the chart" : "End of the chart"}
      aria-valuetext={formatTime(range[end])}
      min={whole.from}
      max={whole.to}
      step="any"
      value={range[end]}
      onChange={({ currentTarget }) => select(Math.round(currentTarget.valueAsNumber))}
    />
  );
}

/** A range of the address, such as `1767225600000-1767225660000`; `null` for another text. */
function zoomOf(text: string): TimeRange | null {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return Number(from) < Number(to) ? { from: Number(from), to: Number(to) } : null;
}

/** From the first creation until the last discovery of an end; until now, while a task is unfinished. */
function rangeOf(tasks: readonly TaskRow[]): TimeRange {
  const range = { from: Number.POSITIVE_INFINITY, to: 0 };
  for (const { created_at, discovered_at } of tasks) {
    range.from = Math.min(range.from, Date.parse(created_at));
    range.to = Math.max(range.to, discovered_at === null ? now.value : Date.parse(discovered_at));
  }
  return range;
}

/** From the end of a task to the read that discovered it, in milliseconds. */
function waitOf(task: TaskRow): number {
  const wait = segmentsOf(task, now.value).find(({ kind }) => kind === "unnoticed");
  return wait === undefined ? 0 : spanMs(wait.from, wait.to);
}

/** How long a task was queued and running, how late a read discovered its end, and each read. */
function Bar({ task, range }: { task: TaskRow; range: TimeRange }) {
  const percent = (at: number) => percentIn(range, at);
  const lines = (times: readonly number[], span: string) =>
    times.map((at) => `M${percent(at)} ${span}`).join("");
  const segments = segmentsOf(task, now.value);
  const reads = readsOf(task.task_id).map(({ at }) => Date.parse(at));
  const parts = segments.map((segment) => textOf(segment, task.status));
  const text = [...parts, formatAmount(reads.length, "read")].join(", ");
  return (
    <svg class="gantt-bar" viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      <path class="grid" d={lines(ticksOf(range), "0V30")} />
      {segments.map(({ kind, from, to }) => (
        <rect
          key={kind}
          class={kind}
          x={Math.min(percent(from), 100 - LEAST_PERCENT)}
          width={Math.max(LEAST_PERCENT, percent(to) - percent(from))}
          y="4"
          height="12"
        />
      ))}
      <path class="read" d={lines(reads, "18V27")} />
    </svg>
  );
}

export function About({ task }: { task: TaskRow }) {
  return (
    <>
      <a href={linkTo(`/tasks/${task.task_id}`)}>{task.about || shortId(task.task_id)}</a>
      {task.error_code !== null && <small> {task.error_code}</small>}
    </>
  );
}

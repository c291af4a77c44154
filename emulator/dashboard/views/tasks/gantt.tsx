import { linkTo, param, setParam } from "../../address.js";
import type { TaskRow } from "../../api.js";
import { AsTable } from "../../parts/chart.js";
import { Field } from "../../parts/controls.js";
import { Status, Time } from "../../parts/display.js";
import { formatAmount, formatDuration, formatTime, shortId } from "../../parts/format.js";
import { Rows } from "../../parts/rows.js";
import { Table } from "../../parts/table.js";
import { now } from "../../store.js";
import { GanttBar, segmentsOf } from "./task-bar.js";

/** A pause of this length between tasks separates two runs. */
const PAUSE_MS = 60_000;

interface Run {
  tasks: TaskRow[];
  from: number;
  /** When the last of its tasks was discovered to have ended; now, while one is unfinished. */
  until: number;
}

/** The tasks by run, oldest first. */
function runsOf(tasks: readonly TaskRow[]): Run[] {
  const found: Run[] = [];
  for (const task of tasks) {
    const from = Date.parse(task.created_at);
    const until = task.discovered_at === null ? now.value : Date.parse(task.discovered_at);
    const last = found.at(-1);
    if (last === undefined || from > last.until + PAUSE_MS) {
      found.push({ tasks: [task], from, until });
    } else {
      last.tasks.push(task);
      last.until = Math.max(last.until, until);
    }
  }
  return found;
}

/** The tasks of one run on one scale of time, so that bad polling is visible. */
export function Gantt({ shown }: { shown: readonly TaskRow[] }) {
  const all = runsOf(shown);
  const run = all.find(({ from }) => String(from) === param("run")) ?? all.at(-1);
  if (run === undefined) return null;
  const { tasks, from, until } = run;
  const scale = (
    <span class="scale">
      <Time at={from} />
      <Time at={until} />
    </span>
  );
  return (
    <>
      {all.length > 1 && (
        <Field
          label="Run"
          value={String(from)}
          of={all
            .map(
              (each) =>
                [
                  String(each.from),
                  `${formatTime(each.from)} · ${formatAmount(each.tasks.length, "task")}`,
                ] as const,
            )
            .toReversed()}
          onChange={(chosen) => setParam("run", chosen)}
        />
      )}
      <ul class="legend">
        <li class="queued">queued</li>
        <li class="running">running</li>
        <li class="unnoticed">ended, but no read had discovered it (or none before the task timeout)</li>
      </ul>
      <Rows
        label="Gantt"
        keyOf={({ task_id: id }) => id}
        columns={[
          ["Task", (task) => <About task={task} />],
          ["Status", (task) => <Status of={task.status} />],
          [scale, (task) => <GanttBar task={task} from={from} until={until} />],
        ]}
        items={tasks}
      />
      <AsTable>
        {() => (
          <Table
            columns={[
              ["Task", (task: TaskRow) => <About task={task} />],
              ["Created (UTC)", (task) => <Time at={task.created_at} ms />],
              ...PHASES.map(
                ([kind, heading]) => [heading, (task: TaskRow) => lengthOf(task, kind), "number"] as const,
              ),
            ]}
            items={tasks.toReversed()}
            keyOf={({ task_id: id }) => id}
          />
        )}
      </AsTable>
    </>
  );
}

const PHASES = [
  ["queued", "Queued"],
  ["running", "Running"],
  ["unnoticed", "Ended, not discovered"],
] as const;

function lengthOf(task: TaskRow, kind: (typeof PHASES)[number][0]): string {
  const segment = segmentsOf(task, now.value).find((each) => each.kind === kind);
  return segment === undefined ? "–" : formatDuration(segment.to - segment.from);
}

export function About({ task }: { task: TaskRow }) {
  return (
    <>
      <a href={linkTo(`/tasks/${task.task_id}`)}>{task.about || shortId(task.task_id)}</a>
      {task.error_code !== null && <small> {task.error_code}</small>}
    </>
  );
}

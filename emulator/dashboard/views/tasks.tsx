import { computed } from "@preact/signals";
import { bindParam, linkTo, param, setParam } from "../address.js";
import type { TaskRow } from "../api.js";
import { AsTable } from "../parts/chart.js";
import { Field, Flag } from "../parts/controls.js";
import { Empty, Loading, Status, Table, Time } from "../parts/display.js";
import { formatAmount, formatCount, formatDuration, formatTime, shortId } from "../parts/format.js";
import { Rows } from "../parts/rows.js";
import { account, areTasksLoaded, now, overview, tasks } from "../store.js";
import { GanttBar, segmentsOf } from "./task-bar.js";

const STATUSES = ["unfinished", "pending", "running", "success", "failure", "timeout"] as const;

/** The chosen account's tasks that match the filters. */
const shown = computed(() => {
  const status = param("status");
  const words = param("q").toLowerCase();
  const owner = account.value?.account_id;
  const matches = (text: string) => words === "" || text.toLowerCase().includes(words);
  return tasks.value.filter(
    (task) =>
      task.account_id === owner &&
      (status === "" || task.status === status || (status === "unfinished" && task.completed_at === null)) &&
      matches(
        `${task.task_id} ${task.model} ${task.type} ${task.about} ${task.keywords} ${task.error_code ?? ""}`,
      ),
  );
});

export function TasksView() {
  const isFiltered = param("status") !== "" || param("q") !== "";
  return (
    <>
      <div class="heading">
        <h1>Tasks</h1>
        <a class="button" href={linkTo("/tasks/new")}>
          New task
        </a>
      </div>
      <search class="filters">
        <Field label="Search" type="search" placeholder="ID, title, model, type" {...bindParam("q")} />
        <Field label="Status" of={[["", "Every status"], ...STATUSES]} {...bindParam("status")} />
        <Flag
          label="Draw to scale"
          value={param("view") !== ""}
          onChange={(on) => setParam("view", on ? "scale" : "")}
        />
        <small aria-live="polite">{areTasksLoaded.value && formatAmount(shown.value.length, "task")}</small>
      </search>
      {shown.value.length > 0 && param("view") !== "" ? (
        <Gantt />
      ) : shown.value.length > 0 ? (
        <Rows
          label="Tasks"
          columns={[
            ["Created (UTC)", (task) => <Time at={task.created_at} />],
            ["Status", (task) => <Status of={task.status} />],
            ["Model", (task) => task.model],
            ["Type", (task) => task.type],
            ["About", (task) => <About task={task} />, "wide"],
            ["Credits", (task) => formatCount(task.credits_cost), "number"],
          ]}
          items={shown.value}
        />
      ) : !areTasksLoaded.value ? (
        <Loading what="the tasks" />
      ) : isFiltered ? (
        <Empty>No task matches these filters.</Empty>
      ) : (
        <Empty>
          No tasks yet. <a href={linkTo("/tasks/new")}>Submit one here</a>, or connect your program to{" "}
          <code>{overview.value?.service}</code>: its tasks appear here.
        </Empty>
      )}
    </>
  );
}

/** A pause of this length between tasks separates two runs. */
const PAUSE_MS = 60_000;

interface Run {
  tasks: TaskRow[];
  from: number;
  /** When the last of its tasks was discovered to have ended; now, while one is unfinished. */
  until: number;
}

/** The shown tasks by run, oldest first. */
const runs = computed(() => {
  const found: Run[] = [];
  for (const task of shown.value) {
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
});

/** The tasks of one run on one scale of time, so that bad polling is visible. */
function Gantt() {
  const all = runs.value;
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

function About({ task }: { task: TaskRow }) {
  return (
    <>
      <a href={linkTo(`/tasks/${task.task_id}`)}>{task.about || shortId(task.task_id)}</a>
      {task.error_code !== null && <small> {task.error_code}</small>}
    </>
  );
}

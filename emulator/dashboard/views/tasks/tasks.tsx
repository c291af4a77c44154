import { computed } from "@preact/signals";
import { bindParam, linkTo, param, setParam } from "../../address.js";
import { Field, Flag } from "../../parts/controls.js";
import { Empty, Loading, Status, Time } from "../../parts/display.js";
import { formatAmount } from "../../parts/format.js";
import { Rows } from "../../parts/rows.js";
import { account, areTasksLoaded, overview, tasks } from "../../store.js";
import { isFailedTask } from "../own.js";
import { Credits } from "./credits.js";
import { About, Gantt } from "./gantt.js";

const STATUSES = ["unfinished", "failed", "pending", "running", "success", "failure", "timeout"] as const;

/** The chosen account's tasks that match the filters. */
const shown = computed(() => {
  const status = param("status");
  const words = param("q").toLowerCase();
  const owner = account.value?.account_id;
  const matches = (text: string) => words === "" || text.toLowerCase().includes(words);
  return tasks.value.filter(
    (task) =>
      task.account_id === owner &&
      (status === "" ||
        task.status === status ||
        (status === "unfinished" && task.completed_at === null) ||
        (status === "failed" && isFailedTask(task))) &&
      matches(
        `${task.task_id} ${task.model} ${task.type} ${task.about} ${task.keywords} ${task.error_code ?? ""}`,
      ),
  );
});

export function TasksView() {
  const isFiltered = param("status") !== "" || param("q") !== "";
  return (
    <div class="fill">
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
        {param("view") !== "" && (
          <>
            <Field label="Show" of={{ "": "Last 50 tasks", all: "All tasks" }} {...bindParam("show")} />
            <Field label="Sort" of={{ "": "Newest first", wait: "Longest wait" }} {...bindParam("sort")} />
          </>
        )}
        <small aria-live="polite">{areTasksLoaded.value && formatAmount(shown.value.length, "task")}</small>
      </search>
      {shown.value.length > 0 && param("view") !== "" ? (
        <Gantt shown={shown.value} />
      ) : shown.value.length > 0 ? (
        <Rows
          label="Tasks"
          keyOf={({ task_id: id }) => id}
          columns={[
            ["Created (UTC)", (task) => <Time at={task.created_at} />],
            ["Status", (task) => <Status of={task.status} />],
            ["Model", (task) => task.model],
            ["Type", (task) => task.type],
            ["About", (task) => <About task={task} />, "wide"],
            ["Credits", (task) => <Credits task={task} />, "number"],
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
    </div>
  );
}

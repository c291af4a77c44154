import { computed } from "@preact/signals";
import { account, overview, tasks } from "../../live/store.js";
import { Choice, Field } from "../../parts/field.js";
import { formatAmount, formatCount, shortId } from "../../parts/format.js";
import { Cell, Rows } from "../../parts/rows.js";
import { Empty } from "../../parts/section.js";
import { Status } from "../../parts/status.js";
import { Time } from "../../parts/time.js";
import { linkTo, param, setParam } from "../../place.js";

const STATUSES = ["pending", "running", "success", "failure", "timeout"] as const;

/** The chosen account's tasks that pass the filters, newest first. */
const shown = computed(() => {
  const status = param("status");
  const words = param("q").toLowerCase();
  const owner = account.value?.account_id;
  return tasks.value
    .filter(
      (task) =>
        task.account_id === owner &&
        (status === "" || task.status === status) &&
        (words === "" ||
          `${task.task_id} ${task.model} ${task.type} ${task.about}`.toLowerCase().includes(words)),
    )
    .reverse();
});

export function TasksView() {
  const list = shown.value;
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
        <Field
          label="Search"
          type="search"
          placeholder="Id, title, model, type"
          value={param("q")}
          onChange={(words) => setParam("q", words)}
        />
        <Choice
          label="Status"
          value={param("status")}
          of={[["", "Every status"], ...STATUSES.map((status) => [status, status] as const)]}
          onChange={(status) => setParam("status", status)}
        />
        <small aria-live="polite">{formatAmount(list.length, "task")}</small>
      </search>
      {list.length > 0 ? (
        <List />
      ) : isFiltered ? (
        <Empty>No task passes these filters.</Empty>
      ) : (
        <Empty>
          No tasks yet. <a href={linkTo("/tasks/new")}>Submit one here</a>, or point your program at{" "}
          <code>{overview.value?.service}</code>: its tasks appear as they come.
        </Empty>
      )}
    </>
  );
}

function List() {
  const list = shown.value;
  return (
    <Rows
      label="Tasks"
      class="tasks"
      columns={["Created (UTC)", "Status", "Model", "Type", "About", "Credits"]}
      count={list.length}
      row={(index) => {
        const task = list[index];
        if (task === undefined) return null;
        return (
          <>
            <Cell>
              <Time at={task.created_at} />
            </Cell>
            <Cell>
              <Status of={task.status} />
            </Cell>
            <Cell>{task.model}</Cell>
            <Cell>{task.type}</Cell>
            <Cell class="wide">
              <a href={linkTo(`/tasks/${task.task_id}`)}>{task.about || shortId(task.task_id)}</a>
              {task.error_code !== null && <small> {task.error_code}</small>}
            </Cell>
            <Cell class="number">{formatCount(task.credits_cost)}</Cell>
          </>
        );
      }}
    />
  );
}

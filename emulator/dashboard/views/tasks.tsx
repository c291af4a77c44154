import { computed } from "@preact/signals";
import { linkTo, param, setParam } from "../address.js";
import { Choice, Field } from "../parts/controls.js";
import { Empty, Status, Time } from "../parts/display.js";
import { formatAmount, formatCount, shortId } from "../parts/format.js";
import { Cell, Rows } from "../parts/rows.js";
import { account, overview, tasks } from "../store.js";

const STATUSES = ["pending", "running", "success", "failure", "timeout"] as const;

/** The chosen account's tasks that match the filters, newest first. */
const shown = computed(() => {
  const status = param("status");
  const words = param("q").toLowerCase();
  const owner = account.value?.account_id;
  const matches = (text: string) => words === "" || text.toLowerCase().includes(words);
  return tasks.value
    .filter(
      (task) =>
        task.account_id === owner &&
        (status === "" || task.status === status) &&
        matches(`${task.task_id} ${task.model} ${task.type} ${task.about}`),
    )
    .reverse();
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
        <Field
          label="Search"
          type="search"
          placeholder="ID, title, model, type"
          value={param("q")}
          onChange={(words) => setParam("q", words)}
        />
        <Choice
          label="Status"
          value={param("status")}
          of={[["", "Every status"], ...STATUSES.map((status) => [status, status] as const)]}
          onChange={(status) => setParam("status", status)}
        />
        <small aria-live="polite">{formatAmount(shown.value.length, "task")}</small>
      </search>
      {shown.value.length > 0 ? (
        <List />
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

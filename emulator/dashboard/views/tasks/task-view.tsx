import { ask, controlPlane, type TaskDetails } from "../../client/client.js";
import { useAnswer } from "../../live/use-control.js";
import { Json } from "../../parts/code.js";
import { CopyButton } from "../../parts/copy-button.js";
import { formatAmount } from "../../parts/format.js";
import { Empty, Section } from "../../parts/section.js";
import { Status } from "../../parts/status.js";
import { linkTo, path } from "../../place.js";
import { Clips } from "./clips.js";
import { TaskActs } from "./task-acts.js";
import { taskOf } from "./task-of.js";
import { Timeline } from "./timeline.js";
import { wordsFor } from "./timeline-events.js";

/** One task: what was asked, what happened, and what came of it. */
export function TaskView() {
  const [, taskId = ""] = path.value;
  const { data, error } = useAnswer(
    () => ask(controlPlane.GET("/_emulator/tasks/{task_id}", { params: { path: { task_id: taskId } } })),
    taskId,
  );
  if (error !== null) {
    return (
      <Empty>
        There is no such task here; perhaps the emulator was reset. <a href={linkTo("/tasks")}>All tasks</a>
      </Empty>
    );
  }
  return data === undefined ? <p aria-busy="true">Asking for the task…</p> : <Details details={data} />;
}

function Details({ details }: { details: TaskDetails }) {
  const task = taskOf(details);
  const { model, type, status, credits_cost: credits, input, audio_format: format, output } = task;
  const request = { model, task_type: type, ...(format !== null && { audio_format: format }), input };
  const last = details.ledger.at(-1);
  return (
    <>
      <nav aria-label="Path" class="crumbs">
        <span aria-hidden="true">←</span> <a href={linkTo("/tasks")}>Tasks</a>
      </nav>
      <div class="heading">
        <h1>
          {model} {type} <Status of={status} />
        </h1>
        <TaskActs details={details} />
      </div>
      <p class="facts">
        <span>
          <code>{task.task_id}</code> <CopyButton text={task.task_id} label="Copy id" />
        </span>
        <span>{last === undefined ? formatAmount(credits, "credit") : wordsFor(last)}</span>
        {output?.progress != null && status === "running" && <span>{output.progress} done</span>}
      </p>
      {task.error !== null && (
        <p class="problem">
          {task.error} (<code>{task.error_code}</code>,{" "}
          {task.retryable === true ? "may be sent again" : "never to be sent again"}
          {task.retry_after_seconds !== null && `, after ${task.retry_after_seconds} s`})
        </p>
      )}
      {task.status === "success" && task.type !== "lyrics" && (
        <Clips clips={task.output.result} task={task} />
      )}
      {task.status === "success" && task.type === "lyrics" && (
        <Section title={task.output.result.title}>
          <pre class="lyrics">{task.output.result.text}</pre>
        </Section>
      )}
      <div class="columns">
        <Section title="Timeline">
          <Timeline details={details} task={task} />
        </Section>
        <div>
          <Section title="The request">
            <Json value={request} label="The request" />
          </Section>
          <Section title="The answer, as the SDK sees it">
            <Json value={task} label="The answer" />
          </Section>
        </div>
      </div>
    </>
  );
}

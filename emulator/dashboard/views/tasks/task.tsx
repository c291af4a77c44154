import { useEffect } from "preact/hooks";
import { sentence } from "../../../../src/contract/message.js";
import type { Task } from "../../../../src/contract/task.js";
import { linkTo, path, setParam } from "../../address.js";
import {
  call,
  type ExchangeRow,
  type ManualResponse,
  messageOf,
  RefusedError,
  type TaskDetails,
} from "../../api.js";
import { useResult } from "../../parts/calls.js";
import { Button, CopyButton, Empty, Loading, Section, Status } from "../../parts/display.js";
import { Action } from "../../parts/form.js";
import { formatAmount, isolated, shortId } from "../../parts/format.js";
import { Json } from "../../parts/json.js";
import { accountId, areTasksLoaded, futureChanges, now, tasks } from "../../store.js";
import { RequestLink } from "../request-link.js";
import { Clips } from "./clips.js";
import { Credits } from "./credits.js";
import { openDraft } from "./draft.js";
import { creationsOf, timeoutAt } from "./segments.js";
import { bodyOf, draftOf, taskOf } from "./task-input.js";
import { Timeline } from "./timeline.js";

export function TaskView() {
  const [, taskId = ""] = path.value;
  const { data, error } = useResult("GET /tasks/{task_id}", taskId);
  if (error !== null) {
    return (
      <>
        <Crumbs />
        <h1>Task not found</h1>
        <Empty>There is no task with this ID. The emulator may have been reset.</Empty>
      </>
    );
  }
  const isLoaded = data !== undefined && areTasksLoaded.value;
  return isLoaded ? <Details details={data} /> : <Loading what="the task" />;
}

/** Long because it is the list of what the page shows of a task. */
function Details({ details }: { details: TaskDetails }) {
  const task = taskOf(details);
  const { model, type, status, output } = task;
  const about = tasks.value.find(({ task_id: id }) => id === task.task_id)?.about;
  // A task is shown, and run again, in its own account.
  useEffect(() => {
    if (details.account_id !== accountId.peek()) setParam("account", details.account_id);
  }, [details.account_id]);
  return (
    <>
      <Crumbs />
      <div class="heading">
        <h1>
          <bdi>{about || shortId(task.task_id)}</bdi> <Status of={status} />
        </h1>
        <Actions details={details} task={task} />
      </div>
      <p class="facts">
        <span>
          {model} {type}
        </span>
        <span>
          <code>{task.task_id}</code> <CopyButton text={task.task_id} label="Copy ID" />
        </span>
        <span>
          <Credits task={task} format={(credits) => formatAmount(credits, "credit")} />
        </span>
        {output?.progress != null && status === "running" && <span>{output.progress} done</span>}
      </p>
      {task.error !== null && (
        <p class="problem">
          {isolated(task.error)} (<code>{task.error_code}</code>,{" "}
          {task.retryable === true ? "retryable" : "not retryable"}
          {task.retry_after_seconds !== null && ` after ${task.retry_after_seconds} s`}).{" "}
          <Cause details={details} task={task} />
        </p>
      )}
      {task.status === "success" && task.type !== "lyrics" && (
        <Clips clips={task.output.result} task={task} />
      )}
      {task.status === "success" && task.type === "lyrics" && (
        <Section title={task.output.result.title} aside={<LyricsActions task={task} />}>
          <pre class="lyrics">{task.output.result.text}</pre>
        </Section>
      )}
      <div class="columns">
        <Section
          title="Timeline"
          aside={<a href={linkTo("/requests", { q: `task:${task.task_id}` })}>Its requests</a>}
        >
          <Timeline details={details} task={task} />
        </Section>
        <div>
          <Section title="Request">
            <Json text={JSON.stringify(bodyOf(task))} label="Request" />
          </Section>
          <Section
            title={
              futureChanges.value.length === 0
                ? "Response, as the SDK returns it"
                : "Response, as today's version of the service has it"
            }
          >
            <Json text={JSON.stringify(task)} label="Response" />
          </Section>
        </div>
      </div>
    </>
  );
}

/** What set the failure in advance, if anything did. */
function Cause({ details: { plan }, task }: { details: TaskDetails; task: Task }) {
  const [creation] = creationsOf(task.task_id);
  const isEndless =
    plan.outcome === "hang" || Date.parse(plan.ends_at ?? "") > Date.parse(task.completed_at ?? "");
  const isSet = task.status === "timeout" ? isEndless : creation?.outcome?.outcome === "failure";
  return creation?.outcome != null && isSet ? <Setter creation={creation} /> : null;
}

/** A header of the request that created the task, or a rule. An old request has lost its headers. */
function Setter({ creation }: { creation: ExchangeRow }) {
  const number = String(creation.number);
  const { data } = useResult("GET /exchanges/{number}", number);
  const headers = data?.request_headers ?? null;
  return (
    <span>
      {headers === null ? (
        "An outcome that was set in advance"
      ) : new Headers(headers).has("X-Emulator-Outcome") ? (
        <>
          The header <code>X-Emulator-Outcome</code>
        </>
      ) : (
        <a href={linkTo("/scenarios")}>A rule</a>
      )}{" "}
      requested this end: see <RequestLink request={creation}>the request that created the task</RequestLink>.
    </span>
  );
}

function LyricsActions({ task }: { task: Task<"lyrics"> & { status: "success" } }) {
  const { title, text } = task.output.result;
  return (
    <div class="buttons">
      <CopyButton text={text} label="Copy lyrics" />
      <Button onClick={() => openDraft({ mode: "custom", fields: { prompt: text, title } })}>
        Make a song from these lyrics
      </Button>
    </div>
  );
}

export function Crumbs() {
  return (
    <nav aria-label="Path" class="crumbs">
      <span aria-hidden="true">←</span> <a href={linkTo("/tasks")}>Tasks</a>
    </nav>
  );
}

/** Only a read moves an unfinished task. */
function Actions({ details, task }: { details: TaskDetails; task: Task }) {
  const { status, task_id: taskId, created_at: createdAt } = task;
  const again = <Button onClick={() => openDraft(draftOf(task))}>Run again</Button>;
  if (status !== "pending" && status !== "running") return <div class="buttons">{again}</div>;
  const { ends_at: endsAt, ends_at_read: endsAtRead } = details.plan;
  const read = async () =>
    checkSent(
      await call("POST /accounts/{account_id}/requests", details.account_id, {
        method: "GET",
        path: `/api/v1/task/${taskId}`,
      }),
    );
  const skip = async () => {
    const end = endsAt === null ? timeoutAt(createdAt) : Date.parse(endsAt);
    await call("POST /clock/advance", { seconds: Math.max(0, Math.ceil((end - now.peek()) / 1000)) });
    await read();
  };
  return (
    <div class="buttons">
      <Action onAct={read}>Read now</Action>
      {endsAtRead === null && (
        <Action onAct={skip}>{endsAt === null ? "Skip past the timeout" : "Skip to the end"}</Action>
      )}
      {again}
    </div>
  );
}

/** @throws RefusedError unless the API responded with success */
export function checkSent({ ended, status, body, issues }: ManualResponse, note = ""): void {
  if (ended === "disconnect")
    throw new Error(`The connection was lost before the response, because of a fault.${note}`);
  if (ended === "stall") throw new Error("There was no response, because of a fault.");
  if (status !== null && status < 300) return;
  const code = typeof body === "object" && body !== null && "error_code" in body ? ` ${body.error_code}` : "";
  const message = messageOf(body) ?? "the response can't be parsed";
  throw new RefusedError(
    `${status}${code}: ${sentence(message)}${note}`,
    issues.map((issue) => ({ ...issue, message: `${issue.message} (${status}${code})` })),
  );
}

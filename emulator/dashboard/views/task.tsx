import type { TaskType } from "../../../src/contract/service.js";
import type { Task } from "../../../src/contract/task.js";
import { linkTo, path } from "../address.js";
import {
  advanceClock,
  getTask,
  messageOf,
  RefusedError,
  type SentRequest,
  sendRequest,
  type TaskDetails,
} from "../api.js";
import { useData } from "../parts/calls.js";
import { Action } from "../parts/controls.js";
import { Button, CopyButton, Empty, Loading, Section, Status, Time } from "../parts/display.js";
import { formatAmount, formatCount, formatDuration, shortId } from "../parts/format.js";
import { Json } from "../parts/json.js";
import { now } from "../store.js";
import { AUDIO_LIFETIME_MS, Clips } from "./clips.js";
import { openDraft } from "./draft.js";
import { isRefundedUnread, readsOf, TaskBar } from "./task-bar.js";
import { draftOf } from "./task-input.js";

const HOUR_MS = 3_600_000;

export function TaskView() {
  const [, taskId = ""] = path.value;
  const { data, error } = useData(() => getTask(taskId), taskId);
  if (error !== null) {
    return (
      <>
        <Crumbs />
        <h1>Task not found</h1>
        <Empty>There is no task with this ID. The emulator may have been reset.</Empty>
      </>
    );
  }
  return data === undefined ? <Loading what="the task" /> : <Details details={data} />;
}

function Details({ details }: { details: TaskDetails }) {
  // The description of the control plane has only the first fields of a task, but it is the one of the API.
  const task = details.task as unknown as Task<TaskType>;
  const { model, type, status, credits_cost: credits, input, audio_format: format, output } = task;
  const request = { model, task_type: type, ...(format !== null && { audio_format: format }), input };
  const last = details.ledger.at(-1);
  return (
    <>
      <Crumbs />
      <div class="heading">
        <h1>
          {model} {type} <Status of={status} />
        </h1>
        <Actions details={details} task={task} />
      </div>
      <p class="facts">
        <span>
          <code>{task.task_id}</code> <CopyButton text={task.task_id} label="Copy ID" />
        </span>
        <span>{last === undefined ? formatAmount(credits, "credit") : creditsText(last)}</span>
        {output?.progress != null && status === "running" && <span>{output.progress} done</span>}
      </p>
      {task.error !== null && (
        <p class="problem">
          {task.error} (<code>{task.error_code}</code>,{" "}
          {task.retryable === true ? "retryable" : "not retryable"}
          {task.retry_after_seconds !== null && ` after ${task.retry_after_seconds} s`})
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
          aside={<a href={linkTo("/requests", { task: task.task_id })}>Its requests</a>}
        >
          <TaskBar details={details} task={task} />
          <Timeline details={details} task={task} />
        </Section>
        <div>
          <Section title="Request">
            <Json text={JSON.stringify(request)} label="Request" />
          </Section>
          <Section title="Response, as the SDK returns it">
            <Json text={JSON.stringify(task)} label="Response" />
          </Section>
        </div>
      </div>
    </>
  );
}

function LyricsActions({ task }: { task: Task<"lyrics"> & { status: "success" } }) {
  const { title, text } = task.output.result;
  const song = { model: "provider_a", type: "music", mode: "custom", format: "" } as const;
  return (
    <div class="buttons">
      <CopyButton text={text} label="Copy lyrics" />
      <Button onClick={() => openDraft({ ...song, fields: { prompt: text, title } })}>
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
    checkSent(await sendRequest(details.account_id, { method: "GET", path: `/api/v1/task/${taskId}` }));
  const skip = async () => {
    const end = endsAt === null ? Date.parse(createdAt ?? "") + HOUR_MS + 1 : Date.parse(endsAt);
    await advanceClock({ seconds: Math.max(0, Math.ceil((end - now.peek()) / 1000)) });
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
export function checkSent({ ended, status, body, issues }: SentRequest, note = ""): void {
  if (ended === "disconnect")
    throw new Error(`The connection was lost before the response, because of a fault.${note}`);
  if (ended === "stall") throw new Error("There was no response, because of a fault.");
  if (status !== null && status < 300) return;
  const code = typeof body === "object" && body !== null && "error_code" in body ? ` ${body.error_code}` : "";
  const message = messageOf(body) ?? "the response can't be parsed";
  throw new RefusedError(
    `${status}${code}: ${message.replace(/\.$/, "")}.${note}`,
    issues.map((issue) => ({ ...issue, message: `${issue.message} (${status}${code})` })),
  );
}

function Timeline({ details, task }: { details: TaskDetails; task: Task }) {
  const startedAt = Date.parse(task.created_at ?? "");
  return (
    <ol class="timeline">
      {eventsOf(details, task).map(({ at, text, note }) => {
        const isAhead = at > now.value;
        return (
          <li key={`${at} ${text}`} class={isAhead ? "ahead" : ""}>
            <strong>{text}</strong>
            {note !== undefined && <span> {note}</span>}
            <br />
            <small>
              <Time at={at} />
              {at > startedAt && ` · after ${formatDuration(at - startedAt)}`}
              {isAhead && ` · in ${formatDuration(at - now.value)}`}
            </small>
          </li>
        );
      })}
    </ol>
  );
}

interface TimelineEvent {
  at: number;
  text: string;
  note?: string;
}

/** The plan of the provider, the credits, and the reads of a task, by time. At one time, a cause precedes its effect. */
function eventsOf({ plan, ledger, reads }: TaskDetails, task: Task): readonly TimelineEvent[] {
  const createdAt = Date.parse(task.created_at ?? "");
  const worksFrom = Date.parse(plan.works_from);
  const events: TimelineEvent[] = [{ at: createdAt, text: "Accepted" }];
  const addCredits = (isFreeze: boolean) => {
    const moved = ledger.filter(({ kind }) => (kind === "freeze") === isFreeze);
    events.push(...moved.map((entry) => ({ at: Date.parse(entry.at), text: creditsText(entry) })));
  };
  addCredits(true);
  if (plan.ends_at_read === null && !(worksFrom >= Date.parse(task.completed_at ?? "")))
    events.push({ at: worksFrom, text: "The provider starts" });
  events.push(...readEvents(task.task_id));
  if (task.completed_at === null) {
    const timeout = { at: createdAt + HOUR_MS + 1, text: "Timeout" };
    const endsAt = Date.parse(plan.ends_at ?? "");
    const end = { at: endsAt, text: `The provider ends: ${plan.outcome}`, note: "(seen at the next read)" };
    events.push(endsAt < timeout.at ? end : timeout);
  } else {
    const completedAt = Date.parse(task.completed_at);
    const ended = { at: completedAt, text: `Ended: ${task.status}` };
    if (isRefundedUnread(task.status, plan.ends_at, completedAt)) {
      const text = `The provider ends: ${plan.outcome}`;
      events.push({ at: Date.parse(plan.ends_at ?? ""), text, note: "(not read)" });
      const unread = reads === 0 ? "never read" : "not read again";
      events.push({ ...ended, note: `(${unread}; the task timeout refunded it)` });
    } else {
      events.push(ended);
    }
    addCredits(false);
    if (Array.isArray(task.output?.result))
      events.push({ at: completedAt + AUDIO_LIFETIME_MS, text: "The audio expires" });
  }
  return events.sort((one, other) => one.at - other.at);
}

/** Of more reads than this, only the first is shown, and the others as one group. */
const MAX_READS = 4;

function readEvents(taskId: string): readonly TimelineEvent[] {
  const reads = readsOf(taskId).map(({ at, status, request_id: id }) => ({
    at: Date.parse(at),
    text: "Read",
    note: `${status ?? "no response"} · ${shortId(id)}`,
    status: status ?? "no response",
  }));
  const [first, second] = reads;
  if (reads.length <= MAX_READS || first === undefined || second === undefined) return reads;
  const counts = new Map<number | string, number>();
  for (const { status } of reads.slice(1)) counts.set(status, (counts.get(status) ?? 0) + 1);
  const note = [...counts].map(([status, count]) => `${formatCount(count)} × ${status}`).join(", ");
  return [first, { at: second.at, text: `Read ${formatAmount(reads.length - 1, "more time")}`, note }];
}

const CREDITS = { top_up: "topped up", freeze: "frozen", settle: "settled", refund: "refunded" } as const;

/** `5 credits refunded` */
function creditsText({ kind, credits }: TaskDetails["ledger"][number]): string {
  return `${formatAmount(credits, "credit")} ${CREDITS[kind]}`;
}

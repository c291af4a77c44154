import { computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { linkTo } from "../address.js";
import type { ExchangeRow, Finding, TaskRow } from "../api.js";
import { Code, Empty, type Figure, Figures, Loading, Section, Time } from "../parts/display.js";
import { formatAmount, formatCount, shortId } from "../parts/format.js";
import {
  account,
  accountId,
  areFindingsLoaded,
  futureChanges,
  isLogComplete,
  overview,
  requestKey,
} from "../store.js";
import {
  failed,
  failedTasks,
  isFailedRequest,
  isOneOfMany,
  keyless,
  limited,
  log,
  ownFindings,
  ownTasks,
  requestsByKey,
  unfinished,
} from "./own.js";
import { RequestLink } from "./request-link.js";
import { isBeyondLimit } from "./requests/rate-use.js";

/** Of a list of problems. */
const MOST_PROBLEMS = 10;

const isAllLoaded = computed(() => isLogComplete.value && areFindingsLoaded.value);

/** What went wrong, and how to connect a program if nothing has happened yet. */
export function OverviewView() {
  if (account.value === null) return null;
  const { balance, suspended } = account.value;
  const own = isOneOfMany.value ? `account:${accountId.value} ` : "";
  const isEmpty = isAllLoaded.value && log.value.length === 0;
  const requestsOf = (status: string) => linkTo("/requests", { q: `${own}status:${status}` });
  const tasksOf = (status: string) => linkTo("/tasks", { status });
  const restored = restoredIn(log.value);
  const unknown =
    restored === 0 ? "" : `; for ${formatCount(restored)} of them, a snapshot has only the status`;
  const ofRequests = `of ${formatAmount(log.value.length, "request")}${unknown}`;
  const ofTasks = `of ${formatAmount(ownTasks.value.length, "task")}`;
  const rules = countsByRule(ownFindings.value) || "no rule was broken";
  const frozen = `${formatAmount(balance.frozen, "credit")} frozen`;
  const figures = [
    figureOf("Failed requests", failed.value, ofRequests, requestsOf("failed")),
    figureOf("429", limited.value, limitedBy(limited.value), requestsOf("429")),
    figureOf("Findings", ownFindings.value, rules, linkTo("/findings")),
    figureOf("Failed tasks", failedTasks.value.map(endOf), ofTasks, tasksOf("failed")),
    figureOf("Unfinished tasks", unfinished.value.map(endOf), frozen, tasksOf("unfinished")),
  ];
  return (
    <>
      <h1>What happened</h1>
      {suspended && (
        <p class="problem">
          This account is suspended: it creates no tasks (403).{" "}
          <a href={linkTo("/account/accounts")}>Change that</a>
        </p>
      )}
      {isEmpty && <ConnectSection />}
      <Figures of={figures} since={log.value[0]?.at} />
      <p>
        <strong>{formatAmount(balance.available, "credit")}</strong> available, {formatCount(balance.frozen)}{" "}
        frozen. <a href={linkTo("/account/statement")}>Statement</a>
      </p>
      {futureChanges.value.length > 0 && <FutureSection />}
      {!isEmpty && <ProblemSection />}
      {!isEmpty && <ConnectSection />}
    </>
  );
}

/** The number grows until everything is loaded. */
function figureOf(name: string, items: readonly { at: string }[], note: string, list: string): Figure {
  return [name, items.length, isAllLoaded.value ? note : "loading…", list, items.map(({ at }) => at)];
}

/** How many requests came with a snapshot, which keeps neither faults nor how a response ended. */
function restoredIn(requests: readonly ExchangeRow[]): number {
  return requests.filter(({ number }) => number === null).length;
}

/** Whether the rate limit or faults were the cause. */
function limitedBy(refused: readonly ExchangeRow[]): string {
  const byFaults = refused.filter((each) => !isBeyondLimit(each)).length;
  const restored = restoredIn(refused);
  if (byFaults + restored === 0) return "beyond the rate limit";
  return [
    ...(byFaults === 0 ? [] : [`${formatCount(byFaults)} of them by faults`]),
    ...(restored === 0 ? [] : [`${formatCount(restored)} of them from a snapshot, cause unknown`]),
  ].join(", ");
}

/** When the end of a task was discovered; of an unfinished one, its creation. */
function endOf({ discovered_at, created_at }: TaskRow): { at: string } {
  return { at: discovered_at ?? created_at };
}

/** Such as `polled_too_often: 3`. */
function countsByRule(found: readonly Finding[]): string {
  const byRule = Map.groupBy(found, ({ rule }) => rule);
  return Array.from(byRule, ([rule, { length }]) => `${rule}: ${formatCount(length)}`).join(", ");
}

interface Problem {
  readonly at: string;
  readonly key: string;
  readonly text: ComponentChildren;
}

/** The latest problems, newest first. Only the last of each kind can be among them. */
const problems = computed(() => {
  const latest = <Item,>(items: readonly Item[]) => items.slice(-MOST_PROBLEMS);
  const all: Problem[] = [
    ...latest(log.value.filter((each) => isFailedRequest(each) || each.status === 429)).map(requestProblem),
    ...latest(ownFindings.value).map(findingProblem),
    ...latest(failedTasks.value).map(taskProblem),
  ];
  return all.sort((one, other) => other.at.localeCompare(one.at)).slice(0, MOST_PROBLEMS);
});

function ProblemSection() {
  return (
    <Section title="Latest problems">
      {isOneOfMany.value && keyless.value.length > 0 && (
        <p>
          Of no account:{" "}
          <a href={linkTo("/requests", { q: "status:401" })}>
            {formatAmount(keyless.value.length, "request")} without a valid API key
          </a>
        </p>
      )}
      {problems.value.length === 0 && !isAllLoaded.value ? (
        <Loading what="the problems" />
      ) : problems.value.length === 0 ? (
        <Empty>No request failed, and no rule of the service was broken.</Empty>
      ) : (
        <ol class="problems">
          {problems.value.map(({ at, key, text }) => (
            <li key={key}>
              <Time at={at} /> <span>{text}</span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

function requestProblem(request: ExchangeRow): Problem {
  const { at, number, status, ended, error_code: code, message } = request;
  const what = status === null ? (ended ?? "no response") : `${status}${code === null ? "" : ` ${code}`}`;
  return {
    at,
    key: `request ${requestKey(request)} ${number}`,
    text: (
      <>
        <RequestLink request={request} /> → {what}
        {message !== null && <small> {message}</small>}
      </>
    ),
  };
}

function findingProblem(finding: Finding): Problem {
  const { at, rule, detail } = finding;
  const request = requestsByKey.value.get(requestKey(finding));
  return {
    at,
    key: `finding ${requestKey(finding)} ${rule}`,
    text: (
      <>
        {request === undefined ? rule : <RequestLink request={request}>{rule}</RequestLink>}
        <small> {detail}</small>
      </>
    ),
  };
}

function taskProblem(task: TaskRow): Problem {
  const { task_id: id, status, error_code: code, about } = task;
  return {
    ...endOf(task),
    key: `task ${id}`,
    text: (
      <>
        <a href={linkTo(`/tasks/${id}`)}>Task {shortId(id)}</a> → {status}
        {code !== null && ` ${code}`}
        <small> {about}</small>
      </>
    ),
  };
}

function FutureSection() {
  return (
    <Section title="A later version of the service">
      <p>
        The emulator plays a version that differs from today's. Tasks are shown as today's version has them.
        Each request shows its real response.
      </p>
      <details>
        <summary>{formatAmount(futureChanges.value.length, "change")}</summary>
        <ul>
          {futureChanges.value.map(({ name, description }) => (
            <li key={name}>
              <code>{name}</code> {description}
            </li>
          ))}
        </ul>
      </details>
    </Section>
  );
}

function ConnectSection() {
  const service = overview.value?.service;
  return (
    <Section title="Connect your program">
      <p>
        It needs this address and a key. The emulator printed its first key at the start;{" "}
        <a href={linkTo("/account/keys")}>create another one</a> at any time.
      </p>
      <Code
        label="Environment variables"
        text={`export ASYNC_MUSIC_BASE_URL=${service}\nexport ASYNC_MUSIC_API_KEY=emu_…`}
      />
    </Section>
  );
}

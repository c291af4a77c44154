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
  requests,
} from "../store.js";
import {
  failed,
  failedTasks,
  isOneOfMany,
  isProblem,
  keyless,
  limited,
  log,
  ownFindings,
  ownTasks,
  problemsElsewhere,
  requestsByKey,
  unfinished,
} from "./own.js";
import { FindingDetail, RequestLink, RuleName } from "./request-link.js";
import { isBeyondLimit } from "./requests/rate-use.js";
import { accountName } from "./scenarios/scope.js";

/** Of a list of problems, and of other accounts with problems. */
const MOST_PROBLEMS = 10;

const isAllLoaded = computed(() => isLogComplete.value && areFindingsLoaded.value);

/** What went wrong, and how to connect a program if nothing has happened yet. */
export function OverviewView() {
  if (account.value === null) return null;
  const { balance, suspended } = account.value;
  const own = isOneOfMany.value ? `account:${accountId.value} ` : "";
  const isEmpty = isAllLoaded.value && requests.value.length === 0;
  const requestsOf = (...statuses: readonly string[]) =>
    linkTo("/requests", { q: `${own}${statuses.map((status) => `status:${status}`).join(" ")}` });
  const tasksOf = (status: string) => linkTo("/tasks", { status });
  const restored = restoredIn(log.value);
  const unknown =
    restored === 0 ? "" : `; for ${formatCount(restored)} of them, a snapshot has only the status`;
  const ofRequests = `of ${formatAmount(log.value.length, "request")}${unknown}`;
  const ofTasks = `of ${formatAmount(ownTasks.value.length, "task")}`;
  const hasProblems = problems.value.length > 0 || problemsElsewhere.value.size > 0;
  const rules = ownFindings.value.length === 0 ? "no rule was broken" : countsByRule(ownFindings.value);
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
      {(!isEmpty || hasProblems) && <ProblemSection all={requestsOf("failed", "429")} />}
      {!isEmpty && <ConnectSection />}
    </>
  );
}

/** The number grows until everything is loaded. */
function figureOf(
  name: string,
  items: readonly { at: string }[],
  note: ComponentChildren,
  list: string,
): Figure {
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
function countsByRule(found: readonly Finding[]): ComponentChildren {
  const byRule = Map.groupBy(found, ({ rule }) => rule);
  return Array.from(byRule, ([rule, { length }], index) => (
    <>
      {index > 0 && ", "}
      <RuleName rule={rule} />: {formatCount(length)}
    </>
  ));
}

interface Problem {
  readonly at: string;
  readonly key: string;
  /** Problems in a row that have the same one are listed once. */
  readonly kind: string;
  readonly text: ComponentChildren;
  /** How many there are in the row, of which this is the latest. */
  count?: number;
}

/** The latest problems, newest first. Only the last of each list can be among them. */
const problems = computed(() => {
  const all = [
    ...latest(log.value.filter(isProblem), requestProblem),
    ...latest(ownFindings.value, findingProblem),
    ...latest(failedTasks.value, taskProblem),
  ];
  return all.sort((one, other) => other.at.localeCompare(one.at)).slice(0, MOST_PROBLEMS);
});

function latest<Item>(items: readonly Item[], problemOf: (item: Item) => Problem): Problem[] {
  const found: Problem[] = [];
  for (let index = items.length - 1; index >= 0; index--) {
    const problem = problemOf(items[index] as Item);
    const last = found.at(-1);
    if (last?.kind === problem.kind) last.count = (last.count ?? 1) + 1;
    else if (found.length === MOST_PROBLEMS) break;
    else found.push(problem);
  }
  return found;
}

function ProblemSection({ all }: { all: string }) {
  return (
    <Section title="Latest problems" aside={<a href={all}>All failed requests and 429</a>}>
      {problemsElsewhere.value.size > 0 && <OtherAccounts />}
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
          {problems.value.map(({ at, key, text, count = 1 }) => (
            <li key={key}>
              <Time at={at} />{" "}
              <span>
                {count > 1 && <strong>{formatCount(count)} × </strong>}
                {text}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

/** Those with the most problems first. */
function OtherAccounts() {
  const counts = [...problemsElsewhere.value].sort(([, one], [, other]) => other - one);
  const more = counts.length - MOST_PROBLEMS;
  return (
    <p>
      Other accounts:{" "}
      {counts.slice(0, MOST_PROBLEMS).map(([id, count], index) => (
        <>
          {index > 0 && ", "}
          <a key={id} href={linkTo("/", { account: id })}>
            {formatAmount(count, "problem")} of {accountName(id)}
          </a>
        </>
      ))}
      {more > 0 && `, and ${formatAmount(more, "more account")}`}
    </p>
  );
}

function requestProblem(request: ExchangeRow): Problem {
  const { at, number, method, path, status, ended, error_code: code, message } = request;
  const what = status === null ? (ended ?? "no response") : `${status}${code === null ? "" : ` ${code}`}`;
  return {
    at,
    key: `request ${requestKey(request)} ${number}`,
    kind: `${method} ${path} ${what}`,
    text: (
      <>
        <RequestLink request={request} /> → {what}
        {message !== null && <small> {message}</small>}
      </>
    ),
  };
}

function findingProblem(finding: Finding): Problem {
  const { at, rule } = finding;
  const request = requestsByKey.value.get(requestKey(finding));
  return {
    at,
    key: `finding ${requestKey(finding)} ${rule}`,
    kind: rule,
    text: (
      <>
        {request === undefined ? (
          <RuleName rule={rule} />
        ) : (
          <RequestLink request={request}>
            <RuleName rule={rule} />
          </RequestLink>
        )}
        <small>
          {" "}
          <FindingDetail finding={finding} />
        </small>
      </>
    ),
  };
}

function taskProblem(task: TaskRow): Problem {
  const { task_id: id, status, error_code: code, about } = task;
  return {
    ...endOf(task),
    key: `task ${id}`,
    kind: `${status} ${code}`,
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
        It needs this address, and a key in <code>ASYNC_MUSIC_API_KEY</code>. The emulator printed its first
        key at the start; <a href={linkTo("/account/keys")}>create another one</a> at any time.
      </p>
      <Code label="Environment variable" text={`export ASYNC_MUSIC_BASE_URL=${service}`} />
    </Section>
  );
}

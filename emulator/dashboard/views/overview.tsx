import { computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { linkTo } from "../address.js";
import type { ExchangeRow, Finding, TaskRow } from "../api.js";
import { Code, Empty, Figures, Section, Time } from "../parts/display.js";
import { formatAmount, formatCount, shortId } from "../parts/format.js";
import { account, accountId, isLogLoaded, overview, requestKey } from "../store.js";
import {
  failed,
  failedTasks,
  isFailedRequest,
  isOneOfMany,
  limited,
  log,
  ownFindings,
  ownTasks,
  requestsByKey,
  unfinished,
} from "./own.js";
import { RequestLink } from "./request-link.js";

/** Of a list of problems. */
const MOST_PROBLEMS = 10;

/** What went wrong, and how to connect a program if nothing has happened yet. */
export function OverviewView() {
  if (account.value === null) return null;
  const { balance, suspended } = account.value;
  const own = isOneOfMany.value ? `account:${accountId.value} ` : "";
  const isEmpty = isLogLoaded.value && log.value.length === 0;
  const figures = [
    [
      "Failed requests",
      failed.value.length,
      `of ${formatAmount(log.value.length, "request")}`,
      linkTo("/requests", { q: `${own}status:failed` }),
      failed.value.map(({ at }) => at),
    ],
    [
      "429",
      limited.value.length,
      "beyond the rate limit",
      linkTo("/requests", { q: `${own}status:429` }),
      limited.value.map(({ at }) => at),
    ],
    [
      "Findings",
      ownFindings.value.length,
      countsByRule(ownFindings.value) || "no rule was broken",
      linkTo("/findings"),
      ownFindings.value.map(({ at }) => at),
    ],
    [
      "Failed tasks",
      failedTasks.value.length,
      `of ${formatAmount(ownTasks.value.length, "task")}`,
      linkTo("/tasks", { status: "failed" }),
      failedTasks.value.map(({ discovered_at: at, created_at }) => at ?? created_at),
    ],
    [
      "Unfinished tasks",
      unfinished.value.length,
      `${formatAmount(balance.frozen, "credit")} frozen`,
      linkTo("/tasks", { status: "unfinished" }),
      unfinished.value.map(({ created_at: at }) => at),
    ],
  ] as const;
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
      {!isEmpty && <ProblemSection />}
      {!isEmpty && <ConnectSection />}
    </>
  );
}

/** Such as `polled_too_often 3 times`. */
function countsByRule(found: readonly Finding[]): string {
  const counts = new Map<string, number>();
  for (const { rule } of found) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts].map(([rule, count]) => `${rule}: ${formatCount(count)}`).join(", ");
}

interface LatestProblem {
  readonly at: string;
  readonly key: string;
  readonly text: ComponentChildren;
}

/** The latest problems, newest first. Only the last of each kind can be among them. */
const problems = computed(() => {
  const latest = <Item,>(items: readonly Item[]) => items.slice(-MOST_PROBLEMS);
  const all: LatestProblem[] = [
    ...latest(log.value.filter((each) => isFailedRequest(each) || each.status === 429)).map(requestProblem),
    ...latest(ownFindings.value).map(findingProblem),
    ...latest(failedTasks.value).map(taskProblem),
  ];
  return all.sort((one, other) => other.at.localeCompare(one.at)).slice(0, MOST_PROBLEMS);
});

function ProblemSection() {
  return (
    <Section title="Latest problems">
      {problems.value.length === 0 ? (
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

function requestProblem(request: ExchangeRow): LatestProblem {
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

function findingProblem(finding: Finding): LatestProblem {
  const { at, rule, detail } = finding;
  const number = requestsByKey.value.get(requestKey(finding))?.number ?? null;
  return {
    at,
    key: `finding ${requestKey(finding)} ${rule}`,
    text: (
      <>
        {number === null ? rule : <a href={linkTo("/requests", { open: String(number) })}>{rule}</a>}
        <small> {detail}</small>
      </>
    ),
  };
}

function taskProblem({
  task_id: id,
  status,
  error_code: code,
  about,
  discovered_at,
  created_at,
}: TaskRow): LatestProblem {
  return {
    at: discovered_at ?? created_at,
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

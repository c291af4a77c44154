import { useState } from "preact/hooks";
import type { Finding, LoggedRequest } from "../../client/client.js";
import { findings, findingsByRequest, markOf, overview, requests } from "../../live/store.js";
import { Choice, Field, Flag } from "../../parts/field.js";
import { formatAmount, formatCount, shortId } from "../../parts/format.js";
import { Cell, Rows } from "../../parts/rows.js";
import { Empty } from "../../parts/section.js";
import { HttpStatus } from "../../parts/status.js";
import { Time } from "../../parts/time.js";
import { linkTo, param, setParam } from "../../place.js";
import { filterRequests } from "./filter-requests.js";

const ROW_PX = 36;
const FINDING_PX = 26;

/** What all endpoints have in common; where there is little room, it is left out. */
const PREFIX = "/api/v1";

/** Everything that the service was asked, newest first, and what of it broke a rule. */
export function RequestsView() {
  const [paused, setPaused] = useState<readonly LoggedRequest[] | null>(null);
  const log = paused ?? requests.value.list;
  const shown = filterRequests(log, {
    words: param("q"),
    method: param("method"),
    status: param("status"),
    onlyFound: param("found") !== "",
    found: findingsByRequest.value,
  });
  return (
    <>
      <div class="heading">
        <h1>Requests</h1>
        <button
          type="button"
          class="small secondary"
          aria-pressed={paused !== null}
          onClick={() => setPaused(paused === null ? [...requests.value.list] : null)}
        >
          {paused === null
            ? "Pause"
            : `Go on (${formatCount(requests.value.list.length - paused.length)} new)`}
        </button>
      </div>
      <Filters count={shown.length} />
      {shown.length > 0 ? (
        <Log shown={shown} />
      ) : log.length > 0 ? (
        <Empty>No request passes these filters.</Empty>
      ) : (
        <Empty>
          Nobody has asked the service anything yet. Send it something:{" "}
          <code>
            curl {overview.value?.service}/api/v1/account/balance -H "x-api-key: $ASYNC_MUSIC_API_KEY"
          </code>
          , or <a href={linkTo("/tasks/new")}>submit a task</a>.
        </Empty>
      )}
    </>
  );
}

function Filters({ count }: { count: number }) {
  return (
    <search class="filters">
      <Field
        label="Search"
        type="search"
        placeholder="Path, request id, error code"
        value={param("q")}
        onChange={(words) => setParam("q", words)}
      />
      <Choice
        label="Method"
        value={param("method")}
        of={[
          ["", "Every method"],
          ["GET", "GET"],
          ["POST", "POST"],
          ["other", "any other"],
        ]}
        onChange={(method) => setParam("method", method)}
      />
      <Choice
        label="Status"
        value={param("status")}
        of={[
          ["", "Every status"],
          ["2", "2xx"],
          ["4", "4xx"],
          ["429", "429"],
          ["5", "5xx"],
          ["none", "no answer"],
        ]}
        onChange={(status) => setParam("status", status)}
      />
      <Flag
        label={`Only with findings (${formatCount(findings.value.length)})`}
        value={param("found") !== ""}
        onChange={(only) => setParam("found", only ? "1" : "")}
      />
      <small aria-live="polite">{formatAmount(count, "request")}</small>
    </search>
  );
}

function Log({ shown }: { shown: readonly LoggedRequest[] }) {
  const at = (index: number) => shown[shown.length - 1 - index];
  const foundOf = (index: number): readonly Finding[] => {
    const request = at(index);
    return request === undefined ? [] : (findingsByRequest.value.get(markOf(request)) ?? []);
  };
  return (
    <Rows
      label="Requests"
      class="requests"
      columns={["Time (UTC)", "Method", "Path", "Status", "Error code", "Request id"]}
      count={shown.length}
      heightOf={(index) => ROW_PX + FINDING_PX * foundOf(index).length}
      row={(index) => {
        const request = at(index);
        if (request === undefined) return null;
        return (
          <>
            <Cell>
              <Time at={request.at} />
            </Cell>
            <Cell>{request.method}</Cell>
            <Cell class="wide">
              <Path of={request} />
            </Cell>
            <Cell>
              <HttpStatus status={request.status} />
            </Cell>
            <Cell>{request.error_code}</Cell>
            <Cell class="wide">
              <code title={request.request_id}>{request.request_id}</code>
            </Cell>
            {foundOf(index).map(({ rule, detail }) => (
              <Cell key={rule} class="finding">
                <strong>{rule}</strong> {detail}
              </Cell>
            ))}
          </>
        );
      }}
    />
  );
}

/** A path; that of a task leads to it. */
function Path({ of: { path } }: { of: LoggedRequest }) {
  const taskId = /^\/api\/v1\/task\/([0-9a-f-]{36})$/i.exec(path)?.[1];
  const prefix = path.startsWith(PREFIX) ? PREFIX : "";
  const rest = path.slice(prefix.length);
  return (
    <code title={path}>
      <span class="prefix">{prefix}</span>
      {taskId === undefined ? rest : <TaskPath id={taskId} />}
    </code>
  );
}

function TaskPath({ id: taskId }: { id: string }) {
  return (
    <>
      /task/<a href={linkTo(`/tasks/${taskId.toLowerCase()}`)}>{shortId(taskId)}…</a>
    </>
  );
}

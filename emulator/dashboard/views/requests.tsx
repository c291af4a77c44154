import { useState } from "preact/hooks";
import { linkTo, param, setParam } from "../address.js";
import type { Finding, LoggedRequest } from "../api.js";
import { Choice, Field, Flag } from "../parts/controls.js";
import { Empty, HttpStatus, Time } from "../parts/display.js";
import { formatAmount, formatCount, shortId } from "../parts/format.js";
import { Cell, Rows } from "../parts/rows.js";
import { findings, findingsByRequest, overview, requestKey, requests } from "../store.js";

const ROW_PX = 36;
const FINDING_PX = 26;

/** Hidden on narrow screens, since all endpoints have it. */
const PREFIX = "/api/v1";

/** The request log, newest first, with the findings of the audit. */
export function RequestsView() {
  const [paused, setPaused] = useState<readonly LoggedRequest[] | null>(null);
  const { list } = requests.value;
  const log = paused ?? list;
  const shown = filtered(log);
  return (
    <>
      <div class="heading">
        <h1>Requests</h1>
        <button
          type="button"
          class="small secondary"
          aria-pressed={paused !== null}
          onClick={() => setPaused(paused === null ? [...list] : null)}
        >
          {paused === null ? "Pause" : `Resume (${formatCount(list.length - paused.length)} new)`}
        </button>
      </div>
      <Filters count={shown.length} />
      {shown.length > 0 ? (
        <Log shown={shown} />
      ) : log.length > 0 ? (
        <Empty>No request matches these filters.</Empty>
      ) : (
        <Empty>
          No requests yet. Send one:{" "}
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
  const bind = (name: string) => ({
    value: param(name),
    onChange: (value: string) => setParam(name, value),
  });
  return (
    <search class="filters">
      <Field label="Search" type="search" placeholder="Path, request ID, error code" {...bind("q")} />
      <Choice
        label="Method"
        of={[
          ["", "Every method"],
          ["GET", "GET"],
          ["POST", "POST"],
          ["other", "any other"],
        ]}
        {...bind("method")}
      />
      <Choice
        label="Status"
        of={[
          ["", "Every status"],
          ["2", "2xx"],
          ["4", "4xx"],
          ["429", "429"],
          ["5", "5xx"],
          ["none", "no response"],
        ]}
        {...bind("status")}
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

/** The requests that match the filters. Without a filter, the same list. */
function filtered(log: readonly LoggedRequest[]): readonly LoggedRequest[] {
  const words = param("q").trim().toLowerCase();
  const [wantedMethod, wantedStatus, onlyFound] = [param("method"), param("status"), param("found") !== ""];
  if (words === "" && wantedMethod === "" && wantedStatus === "" && !onlyFound) return log;
  const found = findingsByRequest.value;
  return log.filter((request) => {
    const { method, status, path, request_id: id, error_code: code } = request;
    const group = method === "GET" || method === "POST" ? method : "other";
    return (
      (wantedMethod === "" || group === wantedMethod) &&
      (wantedStatus === "" || String(status ?? "none").startsWith(wantedStatus)) &&
      (words === "" || `${path} ${id} ${code ?? ""}`.toLowerCase().includes(words)) &&
      (!onlyFound || found.has(requestKey(request)))
    );
  });
}

function Log({ shown }: { shown: readonly LoggedRequest[] }) {
  const at = (index: number) => shown[shown.length - 1 - index];
  const findingsAt = (index: number): readonly Finding[] => {
    const request = at(index);
    return request === undefined ? [] : (findingsByRequest.value.get(requestKey(request)) ?? []);
  };
  return (
    <Rows
      label="Requests"
      class="requests"
      columns={["Time (UTC)", "Method", "Path", "Status", "Error code", "Request ID"]}
      count={shown.length}
      heightOf={(index) => ROW_PX + FINDING_PX * findingsAt(index).length}
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
              <Path path={request.path} />
            </Cell>
            <Cell>
              <HttpStatus status={request.status} />
            </Cell>
            <Cell>{request.error_code}</Cell>
            <Cell class="wide">
              <code title={request.request_id}>{request.request_id}</code>
            </Cell>
            {findingsAt(index).map(({ rule, detail }) => (
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

/** A path, with a link to its task. */
function Path({ path }: { path: string }) {
  const taskId = /^\/api\/v1\/task\/([0-9a-f-]{36})$/i.exec(path)?.[1];
  const prefix = path.startsWith(PREFIX) ? PREFIX : "";
  return (
    <code title={path}>
      <span class="prefix">{prefix}</span>
      {taskId === undefined ? (
        path.slice(prefix.length)
      ) : (
        <>
          /task/<a href={linkTo(`/tasks/${taskId.toLowerCase()}`)}>{shortId(taskId)}…</a>
        </>
      )}
    </code>
  );
}

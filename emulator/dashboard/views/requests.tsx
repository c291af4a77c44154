import { useState } from "preact/hooks";
import { bindParam, linkTo, param, setParam } from "../address.js";
import type { LoggedRequest } from "../api.js";
import { Field, Flag } from "../parts/controls.js";
import { Button, Empty, HttpStatus, Time } from "../parts/display.js";
import { formatAmount, formatCount, shortId } from "../parts/format.js";
import { Rows } from "../parts/rows.js";
import { findings, findingsByRequest, overview, requestKey, requests } from "../store.js";

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
        <Button aria-pressed={paused !== null} onClick={() => setPaused(paused === null ? [...list] : null)}>
          {paused === null ? "Pause" : `Resume (${formatCount(list.length - paused.length)} new)`}
        </Button>
      </div>
      <Filters count={shown.length} />
      {shown.length > 0 ? (
        <Rows
          label="Requests"
          columns={[
            ["Time (UTC)", ({ at }) => <Time at={at} />],
            ["Method", ({ method }) => method],
            ["Path", ({ path }) => <Path path={path} />, "wide"],
            ["Status", ({ status }) => <HttpStatus status={status} />],
            ["Error code", ({ error_code: code }) => code],
            ["Request ID", ({ request_id: id }) => <code title={id}>{id}</code>, "wide"],
          ]}
          items={shown}
          notes={(request) =>
            (findingsByRequest.value.get(requestKey(request)) ?? []).map(({ rule, detail }) => (
              <>
                <strong>{rule}</strong> {detail}
              </>
            ))
          }
        />
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

const METHODS = [["", "Every method"], "GET", "POST", ["other", "any other"]] as const;
const STATUSES = [
  ["", "Every status"],
  ["2", "2xx"],
  ["4", "4xx"],
  "429",
  ["5", "5xx"],
  ["none", "no response"],
] as const;

function Filters({ count }: { count: number }) {
  return (
    <search class="filters">
      <Field label="Search" type="search" placeholder="Path, request ID, error code" {...bindParam("q")} />
      <Field label="Method" of={METHODS} {...bindParam("method")} />
      <Field label="Status" of={STATUSES} {...bindParam("status")} />
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

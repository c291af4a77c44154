import { useState } from "preact/hooks";
import { linkTo, linkWith, param, setParam } from "../../address.js";
import { type ExchangeRow, exportExchanges } from "../../api.js";
import { Button, Empty, HttpStatus, Loading, Mark, Time } from "../../parts/display.js";
import { Action } from "../../parts/form.js";
import { formatCount, shortId } from "../../parts/format.js";
import { Rows } from "../../parts/rows.js";
import { findingsByRequest, isLogLoaded, overview, requestKey, requests } from "../../store.js";
import { ExchangeView } from "./exchange.js";
import { FindingText } from "./exchange-facts.js";
import { countNew } from "./new-requests.js";
import { RateSection } from "./rate-chart.js";
import { Filters, filtered } from "./request-filters.js";

/** Hidden on narrow screens, since all endpoints have it. */
const PREFIX = "/api/v1";

interface Pause {
  log: readonly ExchangeRow[];
  /** That of the emulator's state. */
  generation: number | undefined;
}

/** The request log, newest first, with the findings of the audit, and one request in full. */
export function RequestsView() {
  const [pause, setPause] = useState<Pause | null>(null);
  const { list } = requests.value;
  const generation = overview.value?.generation;
  // A reset removes the requests of a paused list, and numbers the later ones from 1 again.
  const paused = pause?.generation === generation ? (pause?.log ?? null) : null;
  const log = paused ?? list;
  const shown = filtered(log);
  const open = param("open");
  const openRow = ({ number }: ExchangeRow) => number !== null && setParam("open", String(number));
  return (
    <>
      <div class="heading">
        <h1>Requests</h1>
        <div class="buttons">
          <Button
            aria-pressed={paused !== null}
            onClick={() => setPause(paused === null ? { log: [...list], generation } : null)}
          >
            {paused === null ? "Pause" : `Resume (${formatCount(countNew(list, paused))} new)`}
          </Button>
          <Action onAct={() => downloadArchive(shown)} disabled={shown.length === 0}>
            Export as HAR
          </Action>
        </div>
      </div>
      <Filters count={shown.length} />
      {open === "" && <RateSection log={log} />}
      <div class={open === "" ? "" : "split"}>
        {shown.length > 0 ? (
          <Rows
            label="Requests"
            columns={[
              ["Time (UTC)", TimeLink],
              ["Method", ({ method }) => method],
              ["Path", Path, "wide"],
              ["Status", ({ status }) => <HttpStatus status={status} />],
              [
                "Error code",
                ({ error_code: code, manual }) => code ?? (manual && <Mark tone="idle">by hand</Mark>),
              ],
              ["Request ID", ({ request_id: id }) => <code title={id}>{id}</code>, "wide"],
            ]}
            items={shown}
            notes={(request) =>
              (findingsByRequest.value.get(requestKey(request)) ?? []).map((finding) => (
                <FindingText finding={finding} />
              ))
            }
            notesVersion={findingsByRequest.value}
            onOpen={openRow}
            isOpen={({ number }) => open !== "" && String(number) === open}
          />
        ) : !isLogLoaded.value ? (
          <Loading what="the log" />
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
        {open !== "" && <ExchangeView key={open} number={open} />}
      </div>
    </>
  );
}

function TimeLink({ at, number, method, path }: ExchangeRow) {
  if (number === null) return <Time at={at} ms />;
  return (
    <a href={linkWith("open", String(number))} class="plain">
      <Time at={at} ms />
      <span class="unseen">
        : Open {method} {path}
      </span>
    </a>
  );
}

/** A path, with a link to its task. */
function Path({ path }: ExchangeRow) {
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

async function downloadArchive(shown: readonly ExchangeRow[]): Promise<void> {
  const numbers = shown.flatMap(({ number }) => number ?? []);
  const archive = new Blob([JSON.stringify(await exportExchanges({ numbers }))], {
    type: "application/json",
  });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(archive);
  link.download = "async-music.har";
  link.click();
  URL.revokeObjectURL(link.href);
}

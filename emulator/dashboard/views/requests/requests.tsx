import { useEffect, useMemo } from "preact/hooks";
import { linkTo, linkWith, param, setParam } from "../../address.js";
import { call, type ExchangeRow } from "../../api.js";
import { useData } from "../../parts/calls.js";
import { Empty, HttpStatus, Loading, Mark, Time } from "../../parts/display.js";
import { useEscape } from "../../parts/escape.js";
import { Action } from "../../parts/form.js";
import { formatCount, shortId } from "../../parts/format.js";
import { Split } from "../../parts/pane.js";
import { Rows } from "../../parts/rows.js";
import { findings, findingsOf, isLogLoaded, overview, requests } from "../../store.js";
import { taskIdOf } from "../own.js";
import { keyLink, shortPath } from "../request-link.js";
import { Comparison } from "./compare.js";
import { ExchangeView } from "./exchange.js";
import { Histogram } from "./histogram.js";
import { RateSection } from "./rate-chart.js";
import { type Bodies, bodyTexts, CHOOSING, found, search } from "./search.js";
import { SearchField } from "./search-field.js";

/** The request log, newest first, and one request in full, or two side by side. */
export function RequestsView() {
  const log = requests.value;
  const texts = bodyTexts.value;
  const bodies = useData(() => searchBodies(texts), JSON.stringify(texts)).data ?? {};
  const shown = useMemo(() => found(log, bodies), [log, bodies, search.value, findings.value]);
  const [open, other] = [param("open"), param("with")];
  useStepKeys(shown);
  useEscape(() => setParam(param("with") === "" ? "open" : "with", ""));
  const openerOf = ({ number }: ExchangeRow) =>
    number === null ? null : () => setParam(other === CHOOSING ? "with" : "open", String(number));
  return (
    <div class="fill">
      <div class="heading">
        <h1>Requests</h1>
        <Action onAct={() => downloadArchive(shown)} disabled={shown.at(-1)?.number == null}>
          Export as HAR
        </Action>
      </div>
      <SearchField count={shown.length} />
      <Histogram log={shown} />
      <RateSection log={log} />
      {shown[0]?.number === null && (
        <p class="hint">
          Requests that came with a snapshot can't be opened: it keeps no headers, bodies and faults.
        </p>
      )}
      {other === CHOOSING && (
        <p class="choosing">
          Choose the request to compare request {open} with. <a href={linkWith("with", "")}>Cancel</a>
        </p>
      )}
      <Split
        list={<List log={log} shown={shown} openerOf={openerOf} open={open} />}
        isListFirst={other === CHOOSING}
        pane={
          open === "" ? null : other === "" || other === CHOOSING ? (
            <ExchangeView key={open} number={open} />
          ) : (
            <Comparison numbers={[open, other]} />
          )
        }
      />
    </div>
  );
}

async function searchBodies(texts: readonly string[]): Promise<Bodies> {
  const sets = texts.map(
    async (text) => [text, new Set((await call("POST /exchanges/search", { text })).numbers)] as const,
  );
  return Object.fromEntries(await Promise.all(sets));
}

/** While the focus is in the list or in the open request, `j` opens the row below, and `k` the row above. */
function useStepKeys(shown: readonly ExchangeRow[]): void {
  useEffect(() => {
    const step = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      const split = target instanceof Element ? target.closest<HTMLElement>(".split") : null;
      if (split === null || ctrlKey || metaKey || altKey || !["j", "k"].includes(key)) return;
      // The row that is open now: the next key may come before this view was drawn again.
      const open = param("open");
      const index = shown.findLastIndex(({ number }) => String(number) === open);
      const next = index === -1 ? shown.at(-1) : shown[index + (key === "j" ? -1 : 1)];
      event.preventDefault();
      if (next?.number == null) return;
      // What has the focus may go with the request that was open.
      split.focus({ preventScroll: true });
      setParam("open", String(next.number));
    };
    addEventListener("keydown", step);
    return () => removeEventListener("keydown", step);
  }, [shown]);
}

function List(props: {
  log: readonly ExchangeRow[];
  shown: readonly ExchangeRow[];
  open: string;
  openerOf(request: ExchangeRow): (() => void) | null;
}) {
  const { log, shown, open, openerOf } = props;
  if (shown.length > 0)
    return (
      <Rows
        label="Requests"
        columns={[
          ["Time (UTC)", TimeLink],
          ["Method", ({ method }) => method],
          ["Path", ({ path }) => <code title={path}>{shortPath(path)}</code>],
          ["Status", StatusCell],
          ["Duration", ({ duration_ms: ms }) => ms !== null && `${formatCount(Math.round(ms))} ms`, "number"],
          ["Task", TaskCell],
          ["Key", KeyCell],
          ["Findings", RuleCell],
        ]}
        items={shown}
        keyOf={({ number, at, request_id: id }) => number ?? `${at} ${id}`}
        openerOf={openerOf}
        openKey={open}
      />
    );
  if (!isLogLoaded.value) return <Loading what="the log" />;
  if (log.length > 0) return <Empty>No request matches this search.</Empty>;
  return (
    <Empty>
      No requests yet. Send one:{" "}
      <code>curl {overview.value?.service}/api/v1/account/balance -H "x-api-key: $ASYNC_MUSIC_API_KEY"</code>,
      or <a href={linkTo("/tasks/new")}>submit a task</a>.
    </Empty>
  );
}

function TimeLink({ at, number, method, path }: ExchangeRow) {
  if (number === null) return <Time at={at} ms />;
  return (
    <a href={linkWith(param("with") === CHOOSING ? "with" : "open", String(number))} class="plain">
      <Time at={at} ms />
      <span class="unseen">
        : Open {method} {path}
      </span>
    </a>
  );
}

/** The task, also if no such task exists. */
function TaskCell(request: ExchangeRow) {
  const id = taskIdOf(request);
  return id === null ? null : <a href={linkTo(`/tasks/${id}`)}>{shortId(id)}</a>;
}

function StatusCell({ status, error_code: code }: ExchangeRow) {
  return (
    <>
      <HttpStatus status={status} /> {code}
    </>
  );
}

function KeyCell(request: ExchangeRow) {
  return request.manual ? <Mark tone="idle">this dashboard</Mark> : keyLink(request);
}

function RuleCell(request: ExchangeRow) {
  const found = findingsOf(request);
  if (found.length === 0) return null;
  return (
    <a class="finding" href={linkTo("/findings")} title={found.map(({ detail }) => detail).join("\n")}>
      {found.map(({ rule }) => rule).join(", ")}
    </a>
  );
}

async function downloadArchive(shown: readonly ExchangeRow[]): Promise<void> {
  const numbers = shown.flatMap(({ number }) => number ?? []);
  const archive = new Blob([JSON.stringify(await call("POST /exchanges/har", { numbers }))], {
    type: "application/json",
  });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(archive);
  link.download = "async-music.har";
  link.click();
  URL.revokeObjectURL(link.href);
}

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { linkTo, linkWith, setParam } from "../address.js";
import { type Exchange, type ExchangeRow, type Finding, getExchange, getTask } from "../api.js";
import { useData } from "../parts/calls.js";
import { CopyButton, Empty, HttpStatus, Mark, Time } from "../parts/display.js";
import { formatAmount, formatBytes, formatDuration, shortId } from "../parts/format.js";
import { Json, whole } from "../parts/json.js";
import { findingsByRequest, keyNames, overview, requestKey, requests } from "../store.js";
import { curlOf, testOf } from "./exchange-code.js";
import { faultText } from "./faults.js";

/** One request and its response, and everything that explains the response. */
export function ExchangeView({ number }: { number: string }) {
  useEffect(() => {
    const closeOnEscape = ({ key }: KeyboardEvent) => key === "Escape" && setParam("open", "");
    addEventListener("keydown", closeOnEscape);
    return () => removeEventListener("keydown", closeOnEscape);
  }, []);
  const { data, error } = useData(() => getExchange(number), number);
  return (
    <section class="exchange" aria-label="Request">
      {error !== null ? (
        <Empty>This request is no longer in the log. {closeLink("Close")}</Empty>
      ) : data === undefined ? (
        <p aria-busy="true">Loading the request…</p>
      ) : (
        <Details exchange={data} />
      )}
    </section>
  );
}

function closeLink(text: ComponentChildren) {
  return <a href={linkWith("open", "")}>{text}</a>;
}

function Details({ exchange }: { exchange: Exchange }) {
  const { method, path, status, complete } = exchange;
  const type = new Headers(exchange.response_headers ?? {}).get("Content-Type");
  return (
    <>
      <div class="heading">
        <h2>
          {method} <span class="path">{whole(path)}</span> <HttpStatus status={status} />
        </h2>
        {closeLink(<span>Close</span>)}
      </div>
      {complete && <Copies exchange={exchange} />}
      <Facts exchange={exchange} />
      <Findings exchange={exchange} />
      {!complete && (
        <Empty>
          The headers and bodies of this request are no longer kept: newer ones replaced them. The option{" "}
          <code>exchangeBytes</code> of the emulator sets how many bytes are kept.
        </Empty>
      )}
      <Message title="Request" headers={exchange.request_headers} body={exchange.request_body} />
      <Message title="Response" headers={exchange.response_headers} body={exchange.response_body}>
        {exchange.response_body === null && exchange.response_bytes !== null && (
          <p>
            {type}, {formatBytes(exchange.response_bytes)}
          </p>
        )}
      </Message>
    </>
  );
}

function Copies({ exchange }: { exchange: Exchange }) {
  const { method, task_id: taskId } = exchange;
  const isRead = method === "GET" && taskId !== null;
  const { data: task } = useData(async () => (isRead ? (await getTask(taskId)).task : null), taskId ?? "");
  const { model, type: task_type, input, audio_format } = Object(task ?? {});
  const format = audio_format == null ? {} : { audio_format };
  const created = task == null ? null : { model, task_type, ...format, input };
  return (
    <div class="buttons">
      <CopyButton text={curlOf(exchange)} label="Copy as curl" />
      <CopyButton text={testOf(exchange, overview.value?.seed ?? 1, created)} label="Copy as test" />
    </div>
  );
}

function Facts({ exchange }: { exchange: Exchange }) {
  const { at, duration_ms: ms, rate_limit_remaining: remaining, task_id: taskId, fault, outcome } = exchange;
  const { request_id: requestId, account_id: accountId, key_id: keyId, error_code: errorCode } = exchange;
  const facts: readonly (readonly [term: string, description: ComponentChildren])[] = [
    ["Time (UTC)", <Time at={at} ms />],
    ["Duration", ms === null ? null : ms < 1000 ? `${ms} ms` : formatDuration(ms)],
    ["Error code", errorCode && <code>{errorCode}</code>],
    ["Ended", exchange.ended === "response" ? null : ENDINGS[exchange.ended ?? "response"]],
    ["Rate limit", remaining === null ? null : `${formatAmount(remaining, "request")} left in the window`],
    ["Fault", fault && faultText(fault)],
    ["Outcome", outcome && <code>{JSON.stringify(outcome)}</code>],
    ["Task", taskId && <a href={linkTo(`/tasks/${taskId}`)}>{shortId(taskId)}…</a>],
    ["Account", accountId && <code>{shortId(accountId)}…</code>],
    ["Key", keyId && (keyNames.value.get(keyId) ?? "deleted")],
    [
      "Request ID",
      <>
        <code class="id">{requestId}</code> <CopyButton text={requestId} />
      </>,
    ],
    ["Sent from", exchange.manual && <Mark tone="idle">this dashboard</Mark>],
  ];
  return (
    <dl class="facts-list">
      {facts.map(
        ([term, description]) =>
          description !== null &&
          description !== false && (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{description}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

const ENDINGS = {
  response: "with a response",
  broken_response: "the connection broke within the response",
  disconnect: "the connection broke before the response",
  stall: "no response until the client gave up",
} as const;

function Findings({ exchange }: { exchange: Exchange }) {
  return (
    <>
      {(findingsByRequest.value.get(requestKey(exchange)) ?? []).map((finding) => (
        <p class="finding" key={`${finding.rule} ${finding.detail}`}>
          <FindingText finding={finding} />
        </p>
      ))}
    </>
  );
}

/** A finding of the audit, with a link to each request that it names. */
export function FindingText({ finding: { rule, detail } }: { finding: Finding }) {
  return (
    <>
      <strong>{rule}</strong>{" "}
      {detail.split(/([\w.:-]{8,})/).map((word, index) => {
        const named = index % 2 === 1 ? findByRequestId(word.replace(/\.$/, "")) : undefined;
        return named?.number == null ? (
          whole(word)
        ) : (
          <a href={linkWith("open", String(named.number))}>{word}</a>
        );
      })}
    </>
  );
}

function findByRequestId(id: string): ExchangeRow | undefined {
  return requests.value.list.findLast((each) => each.request_id === id);
}

function Message(props: {
  title: string;
  headers: Exchange["request_headers"];
  body: string | null;
  children?: ComponentChildren;
}) {
  const { title, headers, body, children } = props;
  if (headers === null) return null;
  return (
    <>
      <h3>{title}</h3>
      <details>
        <summary>{formatAmount(Object.keys(headers).length, "header")}</summary>
        <table class="headers">
          <tbody>
            {Object.entries(headers).map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      {body !== null && body !== "" && <Json text={body} label={`${title} body`} />}
      {children}
    </>
  );
}

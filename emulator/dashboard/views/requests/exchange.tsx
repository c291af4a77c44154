import type { ComponentChildren } from "preact";
import { linkTo, linkWith } from "../../address.js";
import { call, type ExchangeDetails, type Overview, type Policy } from "../../api.js";
import { useData, useResult } from "../../parts/calls.js";
import { CopyButton, Empty, HttpStatus, Loading, Mark, Time } from "../../parts/display.js";
import { formatAmount, formatBytes, formatDuration, shortId } from "../../parts/format.js";
import { Json, whole } from "../../parts/json.js";
import { findingsOf, overview } from "../../store.js";
import { FindingDetail, keyLink, RuleName } from "../request-link.js";
import { faultText, outcomeText } from "../scenarios/presets.js";
import { bodyOf, taskOf } from "../tasks/task-input.js";
import { curlOf } from "./exchange-code.js";
import { testOf } from "./exchange-test.js";
import { CHOOSING } from "./search.js";

/** One request and its response, and everything that explains the response. */
export function ExchangeView({ number }: { number: string }) {
  const { data, error } = useResult("GET /exchanges/{number}", number);
  return (
    <section class="exchange" aria-label="Request">
      {error !== null ? (
        <Empty>This request is no longer in the log. {closeLink("Close")}</Empty>
      ) : data === undefined ? (
        <Loading what="the request" />
      ) : (
        <Details exchange={data} />
      )}
    </section>
  );
}

function closeLink(text: ComponentChildren) {
  return <a href={linkWith("open", "")}>{text}</a>;
}

function Details({ exchange }: { exchange: ExchangeDetails }) {
  const { method, path, status, complete } = exchange;
  const type = new Headers(exchange.response_headers ?? {}).get("Content-Type");
  return (
    <>
      <div class="heading">
        <h2>
          {method} <span class="path">{whole(path)}</span> <HttpStatus status={status} />
        </h2>
        <span class="buttons">
          <a href={linkWith("with", CHOOSING)}>Compare with…</a>
          {closeLink(<span>Close</span>)}
        </span>
      </div>
      {complete && <Copies exchange={exchange} />}
      <Facts exchange={exchange} />
      {findingsOf(exchange).map((finding) => (
        <p key={`${finding.rule} ${finding.detail}`} class="finding">
          <strong>
            <RuleName rule={finding.rule} />
          </strong>{" "}
          <FindingDetail finding={finding} hrefOf={(number) => linkWith("open", number)} />
        </p>
      ))}
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

function Copies({ exchange }: { exchange: ExchangeDetails }) {
  const { method, task_id: taskId } = exchange;
  const isRead = method === "GET" && taskId !== null;
  const { data: created } = useData(
    async () => (isRead ? bodyOf(taskOf(await call("GET /tasks/{task_id}", taskId))) : null),
    taskId ?? "",
  );
  const latest = overview.value;
  const test =
    latest === null || created === undefined
      ? null
      : testOf(exchange, {
          seed: latest.seed,
          policy: policyFor(exchange.account_id, latest),
          service: latest.service,
          created,
          rule: findingsOf(exchange)[0]?.rule ?? null,
        });
  return (
    <div class="buttons">
      <CopyButton text={curlOf(exchange)} label="Copy as curl" />
      {test !== null && <CopyButton text={test} label="Copy as test" />}
    </div>
  );
}

function policyFor(accountId: string | null, { accounts, policy }: Overview): Policy {
  return accounts.find(({ account_id: id }) => id === accountId)?.policy ?? policy;
}

function Facts({ exchange }: { exchange: ExchangeDetails }) {
  const { at, duration_ms: ms, rate_limit_remaining: remaining, task_id: taskId, fault, outcome } = exchange;
  const { request_id: requestId, account_id: accountId, error_code: errorCode } = exchange;
  const facts: readonly (readonly [term: string, description: ComponentChildren])[] = [
    ["Time (UTC)", <Time at={at} ms />],
    ["Duration", ms === null ? null : ms < 1000 ? `${ms} ms` : formatDuration(ms)],
    ["Error code", errorCode && <code>{errorCode}</code>],
    ["Ended", exchange.ended === "response" ? null : ENDINGS[exchange.ended ?? "response"]],
    ["Rate limit", remaining === null ? null : `${formatAmount(remaining, "request")} left in the window`],
    ["Fault", fault && faultText(fault)],
    ["Outcome", outcome && outcomeText(outcome)],
    ["Task", taskId && <a href={linkTo(`/tasks/${taskId}`)}>{shortId(taskId)}…</a>],
    ["Account", accountId && <a href={linkTo("/account", { account: accountId })}>{shortId(accountId)}…</a>],
    ["Key", keyLink(exchange)],
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

function Message(props: {
  title: string;
  headers: ExchangeDetails["request_headers"];
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

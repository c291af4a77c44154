import type { ComponentChildren } from "preact";
import { linkWith } from "../../address.js";
import { type ExchangeDetails, getExchange, getTask, type Overview, type Policy } from "../../api.js";
import { useData } from "../../parts/calls.js";
import { CopyButton, Empty, HttpStatus, Loading } from "../../parts/display.js";
import { formatAmount, formatBytes } from "../../parts/format.js";
import { Json, whole } from "../../parts/json.js";
import { findingsByRequest, overview, requestKey } from "../../store.js";
import { curlOf } from "./exchange-code.js";
import { Facts, Findings } from "./exchange-facts.js";
import { testOf } from "./exchange-test.js";
import { CHOOSING } from "./search.js";

/** One request and its response, and everything that explains the response. */
export function ExchangeView({ number }: { number: string }) {
  const { data, error } = useData(() => getExchange(number), number);
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

function Copies({ exchange }: { exchange: ExchangeDetails }) {
  const { method, task_id: taskId } = exchange;
  const isRead = method === "GET" && taskId !== null;
  const { data: task } = useData(async () => (isRead ? (await getTask(taskId)).task : null), taskId ?? "");
  const { model, type: task_type, input, audio_format } = Object(task ?? {});
  const format = audio_format == null ? {} : { audio_format };
  const created = task == null ? null : { model, task_type, ...format, input };
  const latest = overview.value;
  const test =
    latest === null || task === undefined
      ? null
      : testOf(exchange, {
          seed: latest.seed,
          policy: policyFor(exchange.account_id, latest),
          service: latest.service,
          created,
          rule: findingsByRequest.value.get(requestKey(exchange))?.[0]?.rule ?? null,
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

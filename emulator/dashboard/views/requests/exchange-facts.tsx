import type { ComponentChildren } from "preact";
import { linkTo, linkWith } from "../../address.js";
import type { ExchangeDetails, ExchangeRow, Finding } from "../../api.js";
import { CopyButton, Mark, Time } from "../../parts/display.js";
import { formatAmount, formatDuration, shortId } from "../../parts/format.js";
import { whole } from "../../parts/json.js";
import { findingsByRequest, keyNames, requestKey, requests } from "../../store.js";
import { faultText } from "../scenarios/faults.js";

export function Facts({ exchange }: { exchange: ExchangeDetails }) {
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
    ["Account", accountId && <a href={linkTo("/account", { account: accountId })}>{shortId(accountId)}…</a>],
    [
      "Key",
      keyId && accountId && (
        <a href={linkTo("/account/keys", { account: accountId })}>{keyNames.value.get(keyId) ?? "deleted"}</a>
      ),
    ],
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

export function Findings({ exchange }: { exchange: ExchangeDetails }) {
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
  return requests.value.findLast((each) => each.request_id === id);
}

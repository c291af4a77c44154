import type { ComponentChildren } from "preact";
import { linkTo } from "../address.js";
import type { ExchangeRow, Finding } from "../api.js";
import { withCode } from "../parts/json.js";
import { keyNames, requestKey, requests } from "../store.js";

/** A task ID in a path: its first characters are kept. */
const TASK_ID = /(?<=\/[0-9a-f]{8})-[0-9a-f-]{27}/gi;

export const shortPath = (path: string) => path.replace("/api/v1", "").replaceAll(TASK_ID, "…");

/** The method and the path of a request, or another text, which open it. */
export function RequestLink(props: { request: ExchangeRow; children?: ComponentChildren }) {
  const { method, path, number } = props.request;
  const { children: text = <code>{`${method} ${shortPath(path)}`}</code> } = props;
  return <a {...(number !== null && { href: linkTo("/requests", { open: String(number) }) })}>{text}</a>;
}

/** A request in the text of a finding: `the response to order-1`. Its ID may be any word. */
const NAMED_REQUEST = /(?<=\b(?:response to|submission) )([\w.:-]+)/;

/** The text of a finding, with a link to the request that it names. */
export function FindingDetail(props: { finding: Finding; hrefOf?(number: string): string }) {
  const { finding, hrefOf = (open) => linkTo("/requests", { open }) } = props;
  return finding.detail.split(NAMED_REQUEST).map((part, index) => {
    const named = index % 2 === 1 ? findBefore(finding, part) : undefined;
    return named?.number == null ? withCode(part) : <a href={hrefOf(String(named.number))}>{part}</a>;
  });
}

/** The name of a rule, whose line may break after `_`. */
export function RuleName({ rule }: { rule: string }) {
  return rule.split(/(?<=_)/).map((part, index) => (
    <>
      {index > 0 && <wbr />}
      {part}
    </>
  ));
}

/** The last request with this ID before that of the finding, which may have the same one. */
function findBefore(finding: Finding, id: string): ExchangeRow | undefined {
  const key = requestKey(finding);
  const end = requests.value.findLastIndex((each) => requestKey(each) === key);
  return requests.value.findLast((each, index) => index < end && each.request_id === id);
}

/** A link to the keys of the account; `null` for a request without a valid key. */
export function keyLink({ key_id: id, account_id: account }: Pick<ExchangeRow, "key_id" | "account_id">) {
  if (id === null || account === null) return null;
  return <a href={linkTo("/account/keys", { account })}>{keyNames.value.get(id) ?? "deleted"}</a>;
}

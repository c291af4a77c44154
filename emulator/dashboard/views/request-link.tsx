import type { ComponentChildren } from "preact";
import { linkTo } from "../address.js";
import type { ExchangeRow } from "../api.js";
import { keyNames } from "../store.js";

/** A task ID in a path: its first characters are kept. */
const TASK_ID = /(?<=\/[0-9a-f]{8})-[0-9a-f-]{27}/gi;

export const shortPath = (path: string) => path.replace("/api/v1", "").replaceAll(TASK_ID, "…");

/** The method and the path of a request, or another text, which open it. */
export function RequestLink(props: { request: ExchangeRow; children?: ComponentChildren }) {
  const { method, path, number } = props.request;
  const { children: text = <code>{`${method} ${shortPath(path)}`}</code> } = props;
  return <a {...(number !== null && { href: linkTo("/requests", { open: String(number) }) })}>{text}</a>;
}

/** A link to the keys of the account; `null` for a request without a valid key. */
export function keyLink({ key_id: id, account_id: account }: Pick<ExchangeRow, "key_id" | "account_id">) {
  if (id === null || account === null) return null;
  return <a href={linkTo("/account/keys", { account })}>{keyNames.value.get(id) ?? "deleted"}</a>;
}

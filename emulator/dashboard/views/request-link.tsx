import type { ComponentChildren } from "preact";
import { linkTo } from "../address.js";
import type { ExchangeRow } from "../api.js";

/** The method and the path of a request, or another text, which open it. */
export function RequestLink(props: { request: ExchangeRow; children?: ComponentChildren }) {
  const { method, path, number } = props.request;
  const { children: text = <code>{`${method} ${path.replace("/api/v1", "")}`}</code> } = props;
  return <a {...(number !== null && { href: linkTo("/requests", { open: String(number) }) })}>{text}</a>;
}

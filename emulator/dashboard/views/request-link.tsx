import { linkTo } from "../address.js";
import type { ExchangeRow } from "../api.js";

/** The method and the path of a request, which open it. */
export function RequestLink({ request: { method, path, number } }: { request: ExchangeRow }) {
  const name = <code>{`${method} ${path.replace("/api/v1", "")}`}</code>;
  return number === null ? name : <a href={linkTo("/requests", { open: String(number) })}>{name}</a>;
}

import { HEADERS, isSafeRequestId } from "../../src/contract/wire.js";
import type { State } from "../core/state/state.js";
import { randomUuid } from "../time/random.js";
import type { Exchange } from "./exchange.js";

/** The caller's own request id where it is safe, else a new one (Authentication, 7). */
export function chooseRequestId(state: State, exchange: Exchange): string {
  return askedRequestId(exchange) ?? randomUuid(state.seed, "request", state.counts.requests++);
}

/** The request id that the caller sent, if it is safe. */
export function askedRequestId({ headers }: Exchange): string | null {
  const asked = headers.get(HEADERS.requestId);
  return asked !== null && isSafeRequestId(asked) ? asked : null;
}

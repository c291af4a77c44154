import { HEADERS } from "../../src/contract/endpoint.js";
import { isSafeRequestId } from "../../src/contract/request-id.js";
import { randomUuid } from "../random/random.js";
import type { State } from "../state/state.js";
import type { Exchange } from "./exchange.js";

/** The caller's own request id where it is safe, else a new one (Authentication, 7). */
export function chooseRequestId(state: State, { headers }: Exchange): string {
  const asked = headers.get(HEADERS.requestId);
  if (asked !== null && isSafeRequestId(asked)) return asked;
  return randomUuid(state.seed, "request", state.counts.requests++);
}

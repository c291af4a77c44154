import { invariant } from "../../core/checks.js";
import type { Caller, Visit } from "../visit.js";

/** Who sent the request: endpoints are reached with a valid key only. */
export function callerOf({ caller }: Visit): Caller {
  invariant(caller !== null, "an endpoint is reached with a valid key");
  return caller;
}

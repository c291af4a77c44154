import type { State } from "../state/state.js";
import { type Exchange, isControlCall } from "./exchange.js";

/** An exchange's place among all that have begun. The control plane is not seen by the service, and moves nothing. */
export function countArrival({ counts }: State, place: Pick<Exchange, "site" | "path">): number {
  return isControlCall(place) ? counts.arrivals : counts.arrivals++;
}

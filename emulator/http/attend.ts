import type { World } from "../core/state/world.js";
import { type Arrival, type Exchange, isControlCall } from "./exchange.js";

/**
 * Lets an exchange take place: it is counted when it arrives, and the clock does not skip before it is over. The service
 * sees nothing of the control plane, whose calls are not counted.
 */
export async function attend<Result>(
  { state: { counts }, clock, era }: World,
  place: Pick<Exchange, "site" | "path">,
  takePlace: (arrival: Arrival) => Promise<Result>,
): Promise<Result> {
  const ordinal = isControlCall(place) ? counts.arrivals : counts.arrivals++;
  clock.enter();
  try {
    return await takePlace({ ordinal, era: era.signal });
  } finally {
    clock.leave();
  }
}

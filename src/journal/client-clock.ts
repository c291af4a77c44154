import { type Clock, createSystemClock } from "../time/clock.js";

const clocks = new WeakMap<object, Pick<Clock, "now">>();

/** Notes the clock of a client, by which its intents are dated. */
export function noteClock(client: object, clock: Pick<Clock, "now">): void {
  clocks.set(client, clock);
}

/** The clock of a client of this package; the system's for any other object. */
export function clockOf(client: object): Pick<Clock, "now"> {
  return clocks.get(client) ?? createSystemClock();
}

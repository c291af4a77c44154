import type { World } from "../state/world.js";

/** Lets an exchange take place: it is counted when it arrives, and the clock does not skip before it is over. */
export async function attend<Result>(
  { state, clock }: World,
  takePlace: (arrival: number) => Promise<Result>,
): Promise<Result> {
  const arrival = state.counts.arrivals++;
  clock.enter();
  try {
    return await takePlace(arrival);
  } finally {
    clock.leave();
  }
}

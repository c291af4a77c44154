import { AsyncMusicError, notLoaded } from "../errors/base.js";
import type { Clock } from "../time/clock.js";
import { withClockStopped } from "../time/stopped-clock.js";

/**
 * Loads code that not every application uses. A virtual clock stands still meanwhile.
 *
 * @param what - what fails without the code
 * @throws AsyncMusicError the code could not be loaded
 */
export async function loadPart<Part>(
  clock: Pick<Clock, "now">,
  what: string,
  loading: Promise<Part>,
): Promise<Part> {
  try {
    return await withClockStopped(clock, loading);
  } catch (cause) {
    throw new AsyncMusicError(notLoaded(what), { cause });
  }
}

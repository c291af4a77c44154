import type { Journal } from "../../src/journal/journal.js";
import type { Clock } from "../../src/time/clock.js";
import { withClockStopped } from "../../src/time/stopped-clock.js";

/** Virtual time stands still while a journal works, so that it may use real files or a real database. */
export function holdingJournal(clock: Clock, journal: Journal): Journal {
  const { open, unacknowledged } = journal;
  return {
    get: (key) => withClockStopped(clock, journal.get(key)),
    put: (key, entry, previous) => withClockStopped(clock, journal.put(key, entry, previous)),
    delete: (key, revision) => withClockStopped(clock, journal.delete(key, revision)),
    ...(open && { open: () => withClockStopped(clock, open.call(journal)) }),
    ...(unacknowledged && {
      unacknowledged: (since) => withClockStopped(clock, unacknowledged.call(journal, since)),
    }),
  };
}

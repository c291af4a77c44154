/** How much a fleet may send. */
export interface FleetSize {
  /** Requests in one of the service's windows. */
  requests: number;
  /** How long such a window lasts. */
  windowMs: number;
}

/** The window of a fleet: every process of it takes its requests from there, and all see the same. */
export interface FleetBudget {
  /** Takes one request, where no more than so many are taken then. The first one opens the window. */
  take(upTo: number): Promise<Taking>;
  /** Lets nobody take anything for so long. */
  hold(ms: number): Promise<void>;
  /** Sets right what the service's answers show to be otherwise. */
  correct(correction: Correction): Promise<void>;
  /** Tells how many tasks wait in this process; answers how many do in the whole fleet. */
  weigh(waiting: number): Promise<number>;
}

/** What came of taking a request. */
export interface Taking {
  isTaken: boolean;
  /** A 429 holds everybody back. */
  isHeld: boolean;
  /** How many are taken from the window, with this one. */
  taken: number;
  /** How long the window, or the hold, lasts from now on, in milliseconds. */
  endsInMs: number;
}

export interface Correction {
  /** So many at least are taken: others may spend from the same key. */
  taken: number;
  /** So long at least the window lasts from now on, in milliseconds. */
  lastsMs: number;
  /** So long at most it would have lasted: a later window is none of this correction's business. */
  endsInMs: number;
}

/**
 * How long a request may take from its leave to where it is counted. The service's window begins with the first that
 * arrives: so a fleet's window lasts that much longer, and nobody leaves in the same time before the service's ends.
 */
export function marginOf({ windowMs }: FleetSize): number {
  return Math.min(1000, windowMs / 4);
}

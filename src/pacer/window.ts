/** Who claims requests of a window: creates and account reads, reads of tasks, polls. */
export type Claimant = 0 | 1 | 2;

/** What is known of one of the service's windows. */
export interface Window {
  /** When the first request left that was meant for it. */
  openedAt: number;
  /** It began no earlier than this. */
  beganAfter: number;
  endsAt: number;
  /** Whether an answer has shown where it stands, and whether it had just begun then. */
  isConfirmed: boolean;
  isWhole: boolean;
  /** The least that was known to remain, and since when. */
  remaining: number;
  knownAt: number;
  /** Requests that left in it, by claimant; how many of all were answered, and the last one when. */
  spent: [number, number, number];
  answered: number;
  answeredAt: number;
}

/** A window of which no answer has told anything yet. */
export function createWindow(openedAt: number, endsAt: number, remaining: number): Window {
  return {
    openedAt,
    beganAfter: openedAt,
    endsAt,
    isConfirmed: false,
    isWhole: false,
    remaining,
    knownAt: openedAt,
    spent: [0, 0, 0],
    answered: 0,
    answeredAt: openedAt,
  };
}

/** How many requests left in a window. */
export function countSpent({ spent: [first, second, third] }: Window): number {
  return first + second + third;
}

/** Who claims requests of a window: creates and account reads, reads of tasks, polls. */
export type Claimant = 0 | 1 | 2;

/** What is known of one of the service's windows. */
export interface Window {
  /** When the first request left that was meant for it. */
  openedAt: number;
  /** It began no earlier than this. */
  beganAfter: number;
  endsAt: number;
  /** Whether an answer has shown where it stands, whether it had just begun then, and when that was. */
  isConfirmed: boolean;
  isWhole: boolean;
  confirmedAt: number;
  /** The least that was known to remain, and since when. */
  remaining: number;
  knownAt: number;
  /** Requests that left in it, by claimant; how many of all were answered, and the last one when. */
  spent: [number, number, number];
  answered: number;
  answeredAt: number;
  /** Answers that came in it, also to what had left before: no more of our own can have been counted. */
  came: number;
}

/** A window of which no answer has told anything yet. */
export function createWindow(openedAt: number, endsAt: number, remaining: number): Window {
  return {
    openedAt,
    beganAfter: openedAt,
    endsAt,
    isConfirmed: false,
    isWhole: false,
    confirmedAt: Number.POSITIVE_INFINITY,
    remaining,
    knownAt: openedAt,
    spent: [0, 0, 0],
    answered: 0,
    came: 0,
    answeredAt: openedAt,
  };
}

/** How many requests left in a window. */
export function countSpent({ spent: [first, second, third] }: Window): number {
  return first + second + third;
}

/**
 * Whether an answer still tells of the window before another: its request left in that one, or it was overtaken by the
 * first answer of the later one. So many requests that have no answer yet may explain why less remains in the later one.
 */
export function belongsTo(
  before: Window | null,
  later: Window,
  { sentAt, remaining }: { sentAt: number; remaining: number },
  unanswered: number,
): boolean {
  const leftBefore = sentAt < later.openedAt;
  const wasOvertaken = later.isWhole && sentAt < later.confirmedAt;
  if (before === null || !(leftBefore || wasOvertaken)) return leftBefore;
  return remaining <= before.remaining && later.remaining - remaining > unanswered + 1;
}

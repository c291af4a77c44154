/** A submission that has arrived, and that nobody has answered yet. */
export interface SubmissionUnderWay {
  /** By what it is known when it is sent again: its account and its body. */
  readonly same: string;
  readonly requestId: string;
  /** Whether its caller has stopped waiting for the answer. */
  readonly hasLeft: () => boolean;
}

/** The submissions on which somebody waits, or should. */
export class SubmissionsUnderWay {
  readonly #all = new Map<string, Set<SubmissionUnderWay>>();

  /** Takes one in, and finds an equal one whose caller had left before this one came. */
  arrive(submission: SubmissionUnderWay): SubmissionUnderWay | null {
    const equal = this.#all.get(submission.same) ?? new Set();
    const abandoned = [...equal].find(({ hasLeft }) => hasLeft()) ?? null;
    this.#all.set(submission.same, equal.add(submission));
    return abandoned;
  }

  leave(submission: SubmissionUnderWay): void {
    const equal = this.#all.get(submission.same);
    equal?.delete(submission);
    if (equal?.size === 0) this.#all.delete(submission.same);
  }
}

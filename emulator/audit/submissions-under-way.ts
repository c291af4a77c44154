/** A submission that has arrived, and that nobody has answered yet. */
export interface SubmissionUnderWay {
  /** By what it is known when it is sent again: its account and its body. */
  readonly same: string;
  readonly requestId: string;
  /** Whether its caller has stopped waiting for the answer. */
  readonly hasLeft: () => boolean;
}

/** The submissions that somebody keeps waiting. */
export class SubmissionsUnderWay {
  readonly #all = new Map<string, Set<SubmissionUnderWay>>();

  /** One that is known by the same, and whose caller has left. */
  findAbandoned(same: string): SubmissionUnderWay | null {
    for (const submission of this.#all.get(same) ?? []) if (submission.hasLeft()) return submission;
    return null;
  }

  /** Has a submission among them for as long as it waits. */
  async during(submission: SubmissionUnderWay, wait: Promise<void>): Promise<void> {
    const equal = this.#all.get(submission.same) ?? new Set();
    this.#all.set(submission.same, equal.add(submission));
    try {
      await wait;
    } finally {
      equal.delete(submission);
      if (equal.size === 0) this.#all.delete(submission.same);
    }
  }
}

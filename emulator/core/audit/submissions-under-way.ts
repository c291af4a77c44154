import type { Sameness } from "./notes.js";

/** What was sent to have a task made. */
export interface Submission {
  /** By what it is known when it is sent again: its account and its body. */
  readonly same: Sameness;
  readonly requestId: string;
  /** Whether its caller has stopped waiting for the answer. */
  readonly hasLeft: () => boolean;
}

/** The submissions that have arrived, and that nobody has answered yet. */
export class SubmissionsUnderWay {
  readonly #all = new Map<string, Set<Submission>>();

  /** One that is the same, and whose caller has left. */
  findAbandoned({ same }: Submission): Submission | null {
    if (this.#all.size === 0) return null;
    for (const submission of this.#all.get(same()) ?? []) if (submission.hasLeft()) return submission;
    return null;
  }

  /** Has a submission among them for as long as it waits. */
  async during(submission: Submission, wait: Promise<void>): Promise<void> {
    const same = submission.same();
    const equal = this.#all.get(same) ?? new Set();
    this.#all.set(same, equal.add(submission));
    try {
      await wait;
    } finally {
      equal.delete(submission);
      if (equal.size === 0) this.#all.delete(same);
    }
  }
}

/** One broken promise of the program. */
export interface Violation {
  /** The check that found it. */
  readonly check: CheckName;
  /** What happened, as a text for people. */
  readonly detail: string;
}

/** The checks of a world: those that are built in, and `"check"`, the program's own. */
export type CheckName =
  | "charged_twice"
  | "result_lost"
  | "wrong_end"
  | "never_ends"
  | "rule_broken"
  | "credit_leaked"
  | "shutdown_ignored"
  | "program_failed"
  | "check";

/** A line of a world's story. */
export interface Line {
  /** Milliseconds since the world's beginning. */
  readonly at: number;
  readonly actor: string;
  text: string;
}

/** A world that has ended. */
export interface WorldResult {
  readonly violations: readonly Violation[];
  readonly story: readonly Line[];
  /** What each process awaited, step by step. */
  readonly steps: readonly (readonly string[])[];
}

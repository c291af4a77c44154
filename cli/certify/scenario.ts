import type { Arrangement } from "./arrangement.js";
import type { RunJudge } from "./judges.js";

/** One situation in which a client makes a song, and the rule that it is judged by. */
export interface Scenario {
  /** In lower case, with hyphens. */
  readonly name: string;
  /** What a client has to do. */
  readonly rule: string;
  /** What the interface states, in other words. */
  readonly sentence: string;
  /** Whether a client that fails it is not certified. Otherwise, the rule is a recommendation. @defaultValue `true` */
  readonly isRequired?: boolean;
  /** What to change in a client that fails. */
  readonly change: string;
  readonly arrange?: Arrangement;
  readonly judge: RunJudge;
}

/** Scenarios about the same subject. */
export interface Topic {
  readonly title: string;
  readonly scenarios: readonly Scenario[];
}

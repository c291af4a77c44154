import type { AsyncMusic, Clock } from "../../src/index.js";
import type { ObservedFields } from "./fields.js";
import type { Wire } from "./wire.js";

/** What one test showed, by part: a response, a change of the credits, the course of a task. */
export type Observation = Record<string, ObservedFields>;

/** A service that tests are sent to. */
export interface SurveyedService {
  readonly client: AsyncMusic;
  readonly wire: Wire;
  readonly clock: Clock;
  readonly maxCredits: number;
  readonly signal: AbortSignal;
  onTest(name: string): void;
}

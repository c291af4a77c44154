import type { Model } from "../../../src/contract/models.js";
import type { Outcome } from "./outcome.js";

/** What each provider was told to do. */
export type Scripts = Record<Model, Script>;

interface Script {
  /** For the next tasks, one each. */
  next: Outcome[];
  /** For every other task; `null` for what happens by itself. */
  always: Outcome | null;
}

export function createScripts(): Scripts {
  return { provider_a: { next: [], always: null }, provider_b: { next: [], always: null } };
}

/** What the provider is to do with a task: what the request itself asks for, else the next outcome, else the lasting one. */
export function chooseOutcome({ next, always }: Script, asked: Outcome | null): Outcome {
  return asked ?? next[0] ?? always ?? {};
}

/** The next outcome has been used, unless the request asked for one of its own. */
export function consumeOutcome({ next }: Script, asked: Outcome | null): void {
  if (asked === null) next.shift();
}

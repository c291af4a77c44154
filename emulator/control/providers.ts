import type { Model } from "../../src/contract/service.js";
import type { Core } from "../core/core.js";
import { type Outcome, parseOutcome } from "../core/providers.js";

/** The two upstream providers, to be told what to do. What is told to nobody succeeds. */
export type Providers = Readonly<Record<Model, Provider>>;

/** One upstream provider. */
export interface Provider {
  /**
   * The next task has this outcome; called again, the one after it.
   *
   * @throws RangeError that names the field that is wrong.
   */
  next(outcome: Outcome): void;
  /**
   * From now on every task has this outcome; `null` ends that. `next` and the request's own wish win over it.
   *
   * @throws RangeError that names the field that is wrong.
   */
  always(outcome: Outcome | null): void;
}

export function createProviders(core: Core): Providers {
  return { provider_a: createProvider(core, "provider_a"), provider_b: createProvider(core, "provider_b") };
}

function createProvider(core: Core, model: Model): Provider {
  return {
    next(outcome) {
      core.state.scripts[model].next.push(structuredClone(parseOutcome(outcome)));
    },
    always(outcome) {
      core.state.scripts[model].always = outcome === null ? null : structuredClone(parseOutcome(outcome));
    },
  };
}

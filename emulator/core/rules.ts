import { MODELS, type Model } from "../../src/contract/service.js";
import type { StoredAccount } from "./accounts.js";
import type { AddedFault } from "./faults.js";
import type { CheckedOutcome, Scripts } from "./providers.js";

/** A rule of a scenario: a fault that was added, or an outcome that was set for tasks of a model. */
export type ScenarioRule = FaultRuleOf | OutcomeRuleOf;

interface FaultRuleOf {
  /** The object in the state. It tells rules apart. */
  readonly object: AddedFault;
  readonly model: null;
  readonly accountId: string | null;
}

interface OutcomeRuleOf {
  readonly object: CheckedOutcome;
  readonly model: Model;
  /** The account whose own outcome it is; `null` for one for all accounts. */
  readonly accountId: string | null;
}

export type ActiveRule = ScenarioRule & {
  /** How often it still applies; `null` for unlimited. */
  readonly left: number | null;
  remove(): void;
};

interface RuleState {
  faults: AddedFault[];
  scripts: Scripts;
  accounts: readonly StoredAccount[];
}

export function faultRule(object: AddedFault): ScenarioRule {
  return { object, model: null, accountId: object.rule.account_id ?? null };
}

/** The rules that still apply: faults in the order in which they fire, then outcomes, those of single accounts first. */
export function activeRules(state: RuleState): readonly ActiveRule[] {
  const faults = state.faults.map((added) => ({
    ...faultRule(added),
    left: added.left,
    remove() {
      state.faults = state.faults.filter((each) => each !== added);
    },
  }));
  const own = state.accounts.flatMap(({ id, scripts }) =>
    scripts === undefined ? [] : outcomesIn(scripts, id),
  );
  return [...faults, ...own, ...outcomesIn(state.scripts, null)];
}

function outcomesIn(scripts: Scripts, accountId: string | null): readonly ActiveRule[] {
  return MODELS.flatMap((model) => {
    const script = scripts[model];
    const next = script.next.map((object) => ({
      object,
      model,
      accountId,
      left: 1,
      remove() {
        script.next = script.next.filter((each) => each !== object);
      },
    }));
    if (script.always === null) return next;
    const remove = () => {
      script.always = null;
    };
    return [...next, { object: script.always, model, accountId, left: null, remove }];
  });
}

interface RuleUse {
  readonly id: number;
  fired: number;
  /** The numbers of the latest exchanges in which it fired. */
  exchanges: readonly number[];
}

const LATEST_EXCHANGES = 5;
const LATEST_RULES = 20;

/** Numbers the rules, and remembers in which exchanges each has fired. It is not part of a snapshot. */
export class RuleUses {
  #uses = new WeakMap<ScenarioRule["object"], RuleUse>();
  #lastId = 0;
  #latest: readonly ScenarioRule[] = [];
  /** By a fault: the one that fired instead on the latest request that matched both. A replaced state is still reported on. */
  readonly firstFaults = new WeakMap<AddedFault, AddedFault>();
  /** By a fault: the number of the last exchange before it was added. */
  readonly lastExchanges = new WeakMap<AddedFault, number>();

  of({ object }: Pick<ScenarioRule, "object">): RuleUse {
    const known = this.#uses.get(object) ?? { id: ++this.#lastId, fired: 0, exchanges: [] };
    this.#uses.set(object, known);
    return known;
  }

  add(rule: ScenarioRule, exchange: number): void {
    const use = this.of(rule);
    use.fired++;
    use.exchanges = [...use.exchanges, exchange].slice(-LATEST_EXCHANGES);
    if (this.#latest.at(-1)?.object === rule.object) return;
    const others = this.#latest.filter(({ object }) => object !== rule.object);
    this.#latest = [...others, rule].slice(-LATEST_RULES);
  }

  /** The rules that fired last, the latest one last. */
  latest(): readonly ScenarioRule[] {
    return this.#latest;
  }

  clear(): void {
    this.#uses = new WeakMap();
    this.#lastId = 0;
    this.#latest = [];
  }
}

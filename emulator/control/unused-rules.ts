import type { StoredAccount } from "../core/accounts.js";
import { accountIdOf, type Core, type ReplacedState } from "../core/core.js";
import { type AddedFault, isUnused } from "../core/faults.js";
import type { ComplianceRule } from "../core/log/audit.js";
import type { Exchange } from "../core/log/exchanges.js";
import { activeRules, faultRule, type ScenarioRule } from "../core/rules.js";
import type { State } from "../core/state.js";

/** What is reported: a request that broke a rule of the service, or a fault or an outcome that the test added and no request used. */
export interface Problem {
  readonly kind: ComplianceRule | "fault" | "outcome";
  readonly accountId: string | null;
  /** A finding in words that name its requests, or the call that added the fault or the outcome and why it is unused. */
  readonly text: string;
}

/** The faults and the outcomes of next tasks in a state: of all accounts, or of one. */
export function calledRules(state: State, account: StoredAccount | null): readonly ScenarioRule[] {
  const isCalled = ({ model, left, accountId }: ReturnType<typeof activeRules>[number]) =>
    (model === null || left !== null) && (account === null || accountId === account.id);
  return activeRules(state).filter(isCalled);
}

/** The call that adds a rule. */
export function callOf({ model, object, accountId }: ScenarioRule): string {
  if (model === null) return `faults.add(${JSON.stringify(object.rule)})`;
  const owner = accountId !== null && { account_id: accountId };
  return `providers.${model}.next(${JSON.stringify({ ...owner, ...object })})`;
}

/** Those that are not known, and that no request used, for example because of a mistyped path. */
export function unusedRules(state: State, known: ReadonlySet<object>, account: StoredAccount | null) {
  return calledRules(state, account).filter(
    ({ model, object }) => !known.has(object) && (model !== null || isUnused(object)),
  );
}

/** @param replaced - the state that has the rule: the current one, or one that was replaced */
export function describeUnused(rule: ScenarioRule, core: Core, replaced: ReplacedState): Problem {
  const { model, accountId } = rule;
  const until = replaced.state === core.state ? "" : " before a reset or a restore removed it";
  const reason =
    model === null
      ? whyUnused(rule.object, core, replaced.exchanges, until)
      : `no task of ${model} was created for it${until}`;
  return { kind: model === null ? "fault" : "outcome", accountId, text: `${callOf(rule)}: ${reason}` };
}

function whyUnused(fault: AddedFault, core: Core, exchanges: readonly Exchange[], until: string): string {
  const { firstFaults, lastExchanges } = core.ruleUses;
  const first = firstFaults.get(fault);
  if (first !== undefined)
    return `${callOf(faultRule(first))} was added before it, and fired on the request that matched it`;
  const { account_id: accountId } = fault.rule;
  const lastBefore = lastExchanges.get(fault) ?? 0;
  const sent = exchanges.filter(
    ({ number, request }) =>
      number > lastBefore && (accountId === undefined || accountIdOf(core, request) === accountId),
  );
  const sender = accountId === undefined ? "the test" : "the account";
  const period = until === "" ? "After it was added" : "In this time";
  return `no request matched it${until}. ${period}, ${sender} sent ${pathsOf(sent)}`;
}

const ADVICE = {
  fault:
    "Add a fault before the requests that it is for. Check its `method`, `path` and `account_id`, and the order of the faults. If a fault may stay unused, set its `probability`.",
  outcome: "If an outcome may stay unused, use `always`.",
};

export function unusedMessage(kind: keyof typeof ADVICE, problems: readonly Problem[]): string | null {
  const lines = problems.filter((each) => each.kind === kind).map(({ text }) => `- ${text}\n`);
  return lines.length === 0 ? null : `Unused ${kind}s:\n${lines.join("")}${ADVICE[kind]}`;
}

const MOST_PATHS = 8;

/** The methods and paths, each once, with `*` for an ID as in the `path` of a fault. */
function pathsOf(exchanges: readonly Exchange[]): string {
  const withoutIds = exchanges.map((each) => nameOf(each).replace(/\/[0-9a-f-]{36}$/i, "/*"));
  const paths = [...new Set(withoutIds)];
  const more = paths.length > MOST_PATHS ? ["and more"] : [];
  return [...paths.slice(0, MOST_PATHS), ...more].join(", ") || "nothing";
}

export function nameOf({ request: { method, path } }: Exchange): string {
  return `${method} ${path}`;
}

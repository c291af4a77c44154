import * as z from "zod/mini";
import { TASK_TYPES } from "../../src/contract/service.js";
import type { StoredAccount } from "../core/accounts.js";
import { checkOptionNames, list, parseOption, text } from "../core/checks.js";
import { type Core, isRequestOf, type ReplacedState, requireAccount } from "../core/core.js";
import { type ComplianceRule, type Finding, findingSchema, REMEMBERED_FINDINGS } from "../core/log/audit.js";
import type { Exchange } from "../core/log/exchanges.js";
import { isConsistent, ledgerMatchesTasks, type State } from "../core/state.js";
import { coreOf } from "../http/service.js";
import type { Emulator } from "./emulator.js";
import {
  calledRules,
  callOf,
  describeUnused,
  nameOf,
  type Problem,
  unusedMessage,
  unusedRules,
} from "./unused-rules.js";

/** Options of `checkCompliance`. */
export interface ComplianceOptions {
  /** Rules of the service that the test breaks on purpose. The check fails if it does not break them. @defaultValue none */
  breaks?: readonly ComplianceRule[] | undefined;
  /**
   * Whether the test has failed. It may have ended early, so the check ignores unused faults and outcomes, and rules in
   * `breaks` that were not broken.
   *
   * @defaultValue false
   */
  failed?: boolean | undefined;
  /**
   * Checks one account alone: its requests, the faults and outcomes with its `account_id`, and its credits. Tests that share
   * an emulator, each with an account of its own, may then run concurrently.
   *
   * @defaultValue all accounts
   */
  accountId?: string | undefined;
}

/**
 * Checks at the end of a test, with any test runner, that
 *
 * - the client broke no rule of the service,
 * - a request used each fault and each `next` outcome that the test added, unless it has a `probability`,
 * - the credits of all accounts add up.
 *
 * It covers everything since the emulator's creation or since the last check of this emulator, across resets and restores.
 * It ignores what came with a seed file, a snapshot or a fork. Create an emulator for each test. If tests share one, check it
 * after each test, and then reset it: an unused fault is reported once, but stays. Tests that share an emulator run
 * concurrently only if each has an account of its own, and passes `accountId`.
 *
 * The fixtures of `async-music/emulator/vitest` do this by themselves.
 *
 * @throws Error whose message lists everything found. RangeError for an invalid option.
 *
 * @example
 * ```ts
 * import { checkCompliance } from "async-music/emulator";
 * import { test } from "node:test";
 *
 * test("a song is paid for", async () => {
 *   const emulator = createEmulator();
 *   await new AsyncMusic(emulator.connection()).tasks.run(request);
 *   checkCompliance(emulator);
 * });
 * ```
 */
export function checkCompliance(emulator: Emulator, options: ComplianceOptions = {}): void {
  parseOption("", optionsSchema, checkOptionNames(options, ["breaks", "failed", "accountId"]));
  const message = findProblems(emulator, options, (rules) => `pass \`breaks: [${rules}]\``);
  if (message !== null) throw new Error(message);
}

const rulesSchema = list(findingSchema.shape.rule);

/** @throws RangeError for an unknown rule */
export function checkRules(breaks: readonly ComplianceRule[]): readonly ComplianceRule[] {
  return parseOption("breaks", rulesSchema, breaks);
}

const optionsSchema = z.object({
  breaks: z.optional(rulesSchema),
  failed: z.optional(z.boolean("be true or false")),
  accountId: z.optional(text),
});

const MOST_EARLIER = 2 * REMEMBERED_FINDINGS;

interface CheckState {
  /** Findings, faults and outcomes that were checked already, or came with a snapshot. */
  known: Set<object>;
  /** The number of the last exchange before the current check began. */
  lastExchange: number;
  /** By account ID: the same, for an account that was checked alone since then. */
  lastExchanges: Map<string, number>;
  /** Of states that were replaced since the last check: the last `MOST_EARLIER`. */
  earlier: readonly Problem[];
}

const checkStates = new WeakMap<Core, CheckState>();

/** Begins to record what `findProblems` reports. Must be called when the emulator is created. */
export function beginCompliance(core: Core): void {
  checkStates.set(core, nextCheck(core));
  core.replaceListeners.add((replaced) => {
    const check = stateOf(core);
    const next = nextCheck(core);
    // What a restored snapshot contains, too, can still be used.
    const restored = new Set(calledRules(core.state, null).map(callOf));
    next.earlier = problemsIn(core, replaced, check, null, restored).slice(-MOST_EARLIER);
    checkStates.set(core, next);
  });
}

function nextCheck(core: Core): CheckState {
  return {
    known: new Set(checkedObjects(core, null)),
    lastExchange: core.exchanges.latest,
    lastExchanges: new Map(),
    earlier: [],
  };
}

function checkedObjects({ state }: Core, account: StoredAccount | null): object[] {
  const rules = calledRules(state, account).map(({ object }) => object);
  return [...findingsIn(state, account), ...rules];
}

function findingsIn({ audit }: State, account: StoredAccount | null) {
  return audit.findings.filter(({ account_id: id }) => account === null || id === account.id);
}

function stateOf(core: Core): CheckState {
  return checkStates.get(core) ?? nextCheck(core);
}

/**
 * Ends the current check and begins the next one. Returns what it found, or `null`.
 *
 * @param declare - how a test declares these rules, in the imperative
 */
export function findProblems(
  emulator: Emulator,
  { breaks = [], failed = false, accountId }: ComplianceOptions,
  declare: (rules: string) => string,
): string | null {
  const core = coreOf(emulator);
  const account = accountId === undefined ? null : requireAccount(core, accountId);
  const check = checkOf(core, account);
  const exchanges = core.exchanges.all().filter(({ request }) => isRequestOf(core, account, request));
  const problems = problemsIn(core, { state: core.state, exchanges }, check, account);
  const messages = [brokenRules(problems, breaks, declare)];
  // A test that failed may have ended before it used these.
  if (!failed)
    messages.push(
      unbrokenRules(problems, breaks),
      unusedMessage("fault", problems),
      unusedMessage("outcome", problems),
    );
  beginNextCheck(core, account);
  if (account === null ? !isConsistent(core.state) : !ledgerMatchesTasks(account, core.state.tasks))
    messages.push("Not all credits are accounted for. Report this defect of the emulator.");
  return messages.filter((each) => each !== null).join("\n\n") || null;
}

/** The current check, of one account or of all. */
function checkOf(core: Core, account: StoredAccount | null): CheckState {
  const check = stateOf(core);
  if (account === null) return check;
  const lastExchange = check.lastExchanges.get(account.id) ?? check.lastExchange;
  return { ...check, lastExchange, earlier: check.earlier.filter((each) => each.accountId === account.id) };
}

function beginNextCheck(core: Core, account: StoredAccount | null): void {
  if (account === null) return void checkStates.set(core, nextCheck(core));
  const check = stateOf(core);
  for (const checked of checkedObjects(core, account)) check.known.add(checked);
  check.lastExchanges.set(account.id, core.exchanges.latest);
  check.earlier = check.earlier.filter(({ accountId }) => accountId !== account.id);
}

/** What was found since the current check began: in earlier states and in this one. */
function problemsIn(
  core: Core,
  replaced: ReplacedState,
  check: CheckState,
  account: StoredAccount | null,
  restored: ReadonlySet<string> = new Set(),
): Problem[] {
  const unused = unusedRules(replaced.state, check.known, account);
  const described = unused
    .filter((rule) => !restored.has(callOf(rule)))
    .map((rule) => describeUnused(rule, core, replaced));
  return [...check.earlier, ...violationsIn(replaced, check, account), ...described];
}

function brokenRules(
  problems: readonly Problem[],
  allowed: readonly ComplianceRule[],
  declare: (rules: string) => string,
): string | null {
  const broken = problems.filter(
    ({ kind }) => kind !== "fault" && kind !== "outcome" && !allowed.includes(kind),
  );
  if (broken.length === 0) return null;
  const lines = broken.map(({ text }) => `- ${text}\n`).join("");
  const rules = [...new Set(broken.map(({ kind }) => `"${kind}"`))].join(", ");
  const afterEvidence = broken.some(({ kind }) => kind === "resubmitted_after_unknown_outcome")
    ? " A submission after `settleNotCreated` breaks its rule on purpose."
    : "";
  return `The client broke rules of the service:\n${lines}If the test breaks them on purpose, ${declare(rules)}.${afterEvidence}`;
}

export function unbrokenRules(
  problems: readonly Problem[],
  expected: readonly ComplianceRule[],
): string | null {
  const broken = problems.map(({ kind }) => kind);
  const unbroken = [...new Set(expected)].filter((rule) => !broken.includes(rule));
  if (unbroken.length === 0) return null;
  return `Declared with \`breaks\`, but no request broke them: ${unbroken.join(", ")}. Remove them from the test.`;
}

/** The findings of a state that were not there when the current check began. */
function violationsIn(
  { state, exchanges }: ReplacedState,
  { known, lastExchange }: CheckState,
  account: StoredAccount | null,
): Problem[] {
  const findings = findingsIn(state, account).filter((finding) => !known.has(finding));
  if (findings.length === 0) return [];
  const types = new Map(state.tasks.map(({ id, type }) => [id, type]));
  const sent = exchanges.filter(({ number }) => number > lastExchange);
  const names = namesOf(sent, types);
  return findings.map((finding) => ({
    kind: finding.rule,
    accountId: finding.account_id ?? null,
    text: formatFinding(finding, names),
  }));
}

/** Formats a finding. Request IDs in its text are replaced by the requests' names. */
function formatFinding({ rule, at, request_id: id, detail }: Finding, names: Map<string, string>): string {
  const name = names.get(`${id} ${at}`);
  const words = detail.replaceAll(/[\w.:-]+/g, (word) => (word === id ? word : (names.get(word) ?? word)));
  return `${rule}, ${name === undefined ? "" : `${name}, `}${at}: ${words} (request ${id})`;
}

/**
 * Names such as `POST /api/v1/task (lyrics, 2 of 2)`: by request ID for the last request with this ID, and by ID and time.
 */
function namesOf(exchanges: readonly Exchange[], types: ReadonlyMap<string, string>): Map<string, string> {
  const counts = new Map<string, number>();
  const numbered = exchanges.map((exchange) => {
    const type = types.get(exchange.taskId ?? "") ?? typeInBody(exchange);
    const kind = `${nameOf(exchange)} ${type}`;
    const ordinal = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, ordinal);
    return { exchange, type, kind, ordinal };
  });
  const names = new Map<string, string>();
  for (const { exchange, type, kind, ordinal } of numbered) {
    const count = counts.get(kind) ?? 1;
    const more = [type, count > 1 ? `${ordinal} of ${count}` : undefined].filter(
      (each) => each !== undefined,
    );
    const name = more.length === 0 ? nameOf(exchange) : `${nameOf(exchange)} (${more.join(", ")})`;
    const { request_id: id, at } = exchange.request;
    names.set(id, name).set(`${id} ${at}`, name);
  }
  return names;
}

/** The task type in a submission's body, for a submission that created no task. */
function typeInBody({ messages }: Exchange): string | undefined {
  const body = messages?.requestBody;
  if (!ArrayBuffer.isView(body)) return undefined;
  const [, type] = /"task_type"\s*:\s*"(\w+)"/.exec(new TextDecoder().decode(body)) ?? [];
  return TASK_TYPES.find((each) => each === type);
}

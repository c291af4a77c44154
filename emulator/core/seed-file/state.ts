import { priceOf } from "../../../src/contract/prices.js";
import { MODELS } from "../../../src/contract/service.js";
import { parseIsoTime } from "../../time/clock.js";
import { createAccount, createKey, EMULATOR_KEY_FORM, KEY_RULE } from "../accounts.js";
import { invalidField, invalidValue, invariant, normalizeId, withChanges } from "../checks.js";
import { buildIndex, StatusWatchers } from "../core.js";
import { addFault } from "../faults.js";
import { canTopUp, MOST_CREDITS, topUp } from "../ledger.js";
import { changePolicy, createPolicy } from "../policy.js";
import type { PolicyChanges } from "../policy-fields.js";
import { createScripts, type Scripts } from "../providers.js";
import { changeLimits, type LimitsChanges, limitsFromJson } from "../rate-limit.js";
import { createState, isConsistent, type NewState, type State } from "../state.js";
import { Mistakes, type ReadAccount, type ReadSeedFile, readSeedFile } from "./read.js";
import { type Entry, entriesOf, type Owner, replayTasks, type Seeding } from "./tasks.js";

interface InitialOptions extends NewState {
  seedFile?: unknown;
}

/**
 * The state at an emulator's creation and after a reset, and its time.
 *
 * @throws RangeError that names the path of every field of the seed file that is invalid, or contradicts another one
 */
export function createInitialState({ seedFile, ...options }: InitialOptions, startTime: number) {
  if (seedFile === undefined) return { state: createState(options, startTime), time: startTime };
  if (options.credits !== undefined)
    throw new RangeError(
      "`credits` can't be combined with `seedFile`. Set `accounts[0].credits` in the seed file.",
    );
  const mistakes = new Mistakes();
  return createSeededState(readSeedFile(seedFile, mistakes), options, startTime, mistakes);
}

function createSeededState(file: ReadSeedFile, options: NewState, startTime: number, mistakes: Mistakes) {
  const { accounts = [{}], outcomes, faults = [] } = file;
  const time = file.time === undefined ? startTime : parseIsoTime(file.time);
  const limits = withChanges<LimitsChanges>(limitsFromJson(file.limits ?? {}), options.limits);
  // Not the policy of the options: the file's tasks must not change with a reset.
  const state = createState({ ...options, policy: file.policy, limits }, time);
  const laterPolicy = createPolicy(
    state.seed,
    options.policy === "vary"
      ? options.policy
      : withChanges<PolicyChanges>(file.policy ?? {}, options.policy),
  );
  const { apiKey: ownerKey } = options;
  const ownKeys = accounts.flatMap((each) => each?.keys?.map((given) => given?.key ?? "") ?? []);
  const seeding: Seeding = { mistakes, time, ownerKey, ownKeys };
  const entries = addAccounts(state, accounts, seeding);
  // Only without a valid account is there none.
  if (state.accounts.length === 0) mistakes.throwIfAny();
  replayTasks(
    { state, index: buildIndex(state), future: null, watchers: new StatusWatchers() },
    entries,
    seeding,
  );
  mistakes.throwIfAny();
  state.policy = laterPolicy;
  for (const [position, account] of state.accounts.entries())
    if (account.policy !== undefined) account.policy = withChanges(laterPolicy, accounts[position]?.policy);
  state.scripts = scriptsOf(outcomes);
  for (const rule of faults) addFault(state, rule, null);
  invariant(isConsistent(state), "a seeded state is consistent");
  return { state, time };
}

/** Adds what applies to one account alone. */
function addOwnSettings(state: State, { account, given }: Owner): void {
  const { outcomes, faults = [], policy, limits } = given;
  if (policy !== undefined) changePolicy(account, state, policy);
  if (limits !== undefined) changeLimits(account, state, limitsFromJson(limits));
  if (outcomes !== undefined) account.scripts = scriptsOf(outcomes);
  for (const rule of faults) addFault(state, { ...rule, account_id: account.id }, account);
}

function scriptsOf(outcomes: ReadAccount["outcomes"]): Scripts {
  const scripts = createScripts();
  for (const model of MODELS) Object.assign(scripts[model], outcomes?.[model]);
  return scripts;
}

/** Replaces the accounts of a new state. Returns their tasks in the order of their creation. */
function addAccounts(state: State, given: NonNullable<ReadSeedFile["accounts"]>, seeding: Seeding): Entry[] {
  const { mistakes, time } = seeding;
  Object.assign(state.counts, { accounts: 0, keys: 0 });
  state.accounts = [];
  const entries: Entry[] = [];
  for (const [position, each] of given.entries()) {
    if (each === null) continue;
    const account = createAccount(state, 0, time);
    const owner = { account, given: each, path: `seedFile.accounts[${position}]` };
    account.id = normalizeId(each.account_id ?? account.id);
    mistakes.claim(account.id, `${owner.path}.account_id`);
    account.suspended = each.suspended ?? false;
    addOwnSettings(state, owner);
    const tasks = entriesOf(owner, seeding, account.policy ?? state.policy);
    entries.push(...tasks);

    const since = Math.min(time, ...tasks.map(({ createdAt }) => createdAt));
    addCredits(owner, tasks, since, mistakes);
    state.accounts.push(account);
    addKeys(state, owner, since, seeding);
  }
  const [owner] = state.accounts;
  const [ownKey] = owner?.keys ?? [];
  if (owner !== undefined && ownKey !== undefined)
    state.owner = { accountId: owner.id, apiKey: ownKey.value };
  return entries.sort((one, other) => one.createdAt - other.createdAt);
}

/** The key that the emulator keeps replaces the first one of the first account, and each equal one of the file. */
function addKeys(state: State, { account, given, path }: Owner, at: number, seeding: Seeding): void {
  const { mistakes, ownerKey, ownKeys } = seeding;
  const { keys = [] } = given;
  const isOwner = state.accounts[0] === account;
  for (const [index, seeded] of keys.entries()) {
    if (seeded === null) continue;
    const { key, name = "", disabled = false } = seeded;
    const keyPath = `${path}.keys[${index}].key`;
    if (!EMULATOR_KEY_FORM.test(key)) mistakes.add(invalidField(keyPath, `must ${KEY_RULE}`));
    else mistakes.claim(key, keyPath);
    const kept = isOwner && index === 0 ? ownerKey : undefined;
    if (kept !== undefined || key !== ownerKey)
      account.keys.push({ ...createKey(state, at, kept ?? key), name, disabled });
  }
  if (account.keys.length > 0) return;
  // Not a key that the file gives to another account.
  const taken = [{ id: "", keys: ownKeys.map((value) => ({ value })) }, ...state.accounts];
  const { seed, counts } = state;
  account.keys.push(createKey({ seed, counts, accounts: taken }, at, isOwner ? ownerKey : undefined));
}

/** Tops up what is available now, and the prices of all tasks that are not refunded. */
function addCredits(owner: Owner, tasks: readonly Entry[], at: number, mistakes: Mistakes): void {
  const { account, given, path } = owner;
  const { credits = 1000 } = given;
  const prices = tasks
    .filter(({ given: { status } }) => status !== "failure" && status !== "timeout")
    .reduce((sum, { given: { model, task_type: type } }) => sum + priceOf(model, type), 0);
  if (!canTopUp(account.ledger, credits + prices)) {
    mistakes.add(invalidValue(`${path}.credits`, `be at most ${MOST_CREDITS - prices}`, credits));
    given.hasInvalidCredits = true;
  } else if (credits + prices > 0) topUp(account.ledger, credits + prices, at);
}

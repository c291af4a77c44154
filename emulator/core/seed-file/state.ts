import { isFinalStatus, LIMITS, MODELS, priceOf } from "../../../src/contract/service.js";
import { isoTime, parseIsoTime } from "../../time/clock.js";
import { type Account, createAccount, createKey, EMULATOR_KEY, KEY_RULE } from "../accounts.js";
import { invalidField, invalidOption, invariant } from "../checks.js";
import { buildIndex, indexTask, StatusWatchers, type World } from "../core.js";
import { addFault } from "../faults.js";
import { canTopUp, MOST_CREDITS, topUp } from "../ledger.js";
import { changePolicy, findViolation } from "../policy.js";
import type { Policy } from "../policy-fields.js";
import { createScripts, type Outcome, planEnd, type Scripts } from "../providers.js";
import { changeLimits, limitsFromJson } from "../rate-limit.js";
import { createState, isConsistent, type NewState, type State } from "../state.js";
import type { OpenTask, ProviderTask } from "../task.js";
import { applyTimeouts, createTask, readTask } from "../transitions.js";
import { type ParsedSeedFile, type ParsedSeedTask, parseAgo, parseSeedFile } from "./schema.js";

type SeedAccount = NonNullable<ParsedSeedFile["accounts"]>[number];

interface InitialOptions extends NewState {
  seedFile?: unknown;
}

/**
 * The state at an emulator's creation and after a reset, and its time.
 *
 * @throws RangeError that names the path of the field of the seed file that is invalid, or contradicts another one
 */
export function createInitialState({ seedFile, ...options }: InitialOptions, startTime: number) {
  if (seedFile === undefined) return { state: createState(options, startTime), time: startTime };
  if (options.credits !== undefined)
    throw new RangeError(
      "`credits` can't be combined with `seedFile`. Set `accounts[0].credits` in the seed file.",
    );
  return createSeededState(parseSeedFile(seedFile), options, startTime);
}

function createSeededState(file: ParsedSeedFile, options: NewState, startTime: number) {
  const { accounts = [{}], outcomes, faults = [] } = file;
  const time = file.time === undefined ? startTime : parseIsoTime(file.time);
  const policy = options.policy === "vary" ? options.policy : { ...file.policy, ...options.policy };
  const limits = { ...limitsFromJson(file.limits ?? {}), ...options.limits };
  const state = createState({ ...options, policy, limits }, time);

  const names: Names = new Map();
  const entries = addAccounts(state, accounts, { names, time, ownerKey: options.apiKey });
  replay({ state, index: buildIndex(state), watchers: new StatusWatchers() }, entries, names);
  state.scripts = scriptsOf(outcomes);
  for (const rule of faults) addFault(state, rule, null);
  invariant(isConsistent(state), "a seeded state is consistent");
  return { state, time };
}

/** Adds what applies to one account alone. */
function addOwnSettings(
  state: State,
  account: Account,
  { outcomes, faults = [], policy, limits }: SeedAccount,
): void {
  if (policy !== undefined) changePolicy(account, state, policy);
  if (limits !== undefined) changeLimits(account, state, limitsFromJson(limits));
  if (outcomes !== undefined) account.scripts = scriptsOf(outcomes);
  for (const rule of faults) addFault(state, { ...rule, account_id: account.id }, account);
}

function scriptsOf(outcomes: SeedAccount["outcomes"]): Scripts {
  const scripts = createScripts();
  for (const model of MODELS) Object.assign(scripts[model], outcomes?.[model]);
  return scripts;
}

/** The path of each ID and key, which must be unique. */
type Names = Map<string, string>;

function claim(names: Names, name: string, path: string): void {
  const other = names.get(name);
  if (other !== undefined) throw invalidField(path, `must differ from \`${other}\``);
  names.set(name, path);
}

/** A task of the file, before it is created. */
interface Entry {
  readonly account: Account;
  readonly given: ParsedSeedTask;
  /** `seedFile.accounts[0].tasks[1]` */
  readonly path: string;
  readonly createdAt: number;
  readonly ageMs: number;
}

interface AccountContext {
  readonly names: Names;
  readonly time: number;
  readonly ownerKey: string | undefined;
}

/** Replaces the accounts of a new state. Returns their tasks in the order of their creation. */
function addAccounts(state: State, given: readonly SeedAccount[], { names, time, ownerKey }: AccountContext) {
  Object.assign(state.counts, { accounts: 0, keys: 0 });
  state.accounts = [];
  const entries: Entry[] = [];
  state.accounts = given.map((each, position) => {
    const path = `seedFile.accounts[${position}]`;
    const account = createAccount(state, 0, time);
    account.id = each.account_id ?? account.id;
    claim(names, account.id.toLowerCase(), `${path}.account_id`);
    account.suspended = each.suspended ?? false;
    const tasks = entriesOf(account, each, path, time);
    addOwnSettings(state, account, each);
    for (const task of tasks) checkRequest(task, account.policy ?? state.policy);
    entries.push(...tasks);

    const since = Math.min(time, ...tasks.map(({ createdAt }) => createdAt));
    addCredits(account, each, path, since);
    account.keys = (each.keys ?? [undefined]).map((seeded, index) => {
      const keyPath = `${path}.keys[${index}].key`;
      if (seeded !== undefined && !EMULATOR_KEY.test(seeded.key))
        throw invalidField(keyPath, `must ${KEY_RULE}`);
      const isOwner = position === 0 && index === 0;
      const key = createKey(state, since, (isOwner ? ownerKey : undefined) ?? seeded?.key);
      claim(names, key.value, keyPath);
      return { ...key, name: seeded?.name ?? "", disabled: seeded?.disabled ?? false };
    });
    return account;
  });
  const [owner] = state.accounts;
  const [ownKey] = owner?.keys ?? [];
  invariant(owner !== undefined && ownKey !== undefined, "the first account and its key exist");
  state.owner = { accountId: owner.id, apiKey: ownKey.value };
  return entries.sort((one, other) => one.createdAt - other.createdAt);
}

function checkRequest({ given, path }: Entry, policy: Policy): void {
  const violation = findViolation(given, policy)?.issues[0];
  if (violation !== undefined) throw invalidField(`${path}.${violation.path}`, violation.message);
}

/** Tops up what is available now, and the prices of all tasks that are not refunded. */
function addCredits(account: Account, { credits = 1000, tasks = [] }: SeedAccount, path: string, at: number) {
  const prices = tasks
    .filter(({ status }) => status !== "failure" && status !== "timeout")
    .reduce((sum, { model, task_type: type }) => sum + priceOf(model, type), 0);
  if (!canTopUp(account.ledger, credits + prices))
    throw invalidOption(`${path}.credits`, `be at most ${MOST_CREDITS - prices}`, credits);
  if (credits + prices > 0) topUp(account.ledger, credits + prices, at);
}

const HOUR_MS = 3_600_000;
const { taskTimeoutMs } = LIMITS;

function entriesOf(
  account: Account,
  { tasks = [] }: SeedAccount,
  accountPath: string,
  time: number,
): Entry[] {
  const isUndated = ({ created_at, created_ago, status }: ParsedSeedTask) =>
    created_at === undefined && created_ago === undefined && isFinalStatus(status);
  let undated = tasks.filter(isUndated).length;
  return tasks.map((given, position) => {
    const path = `${accountPath}.tasks[${position}]`;
    const { created_at: at, created_ago: ago = "0s", status } = given;
    const defaultMs = isUndated(given) ? HOUR_MS * (1 + undated--) : parseAgo(ago);
    const createdAt = at === undefined ? time - defaultMs : parseIsoTime(at);
    const ageMs = time - createdAt;
    const refuse = (rule: string) =>
      invalidOption(`${path}.${at === undefined ? "created_ago" : "created_at"}`, rule, at ?? ago);
    if (createdAt > time) throw refuse(`not be after the emulator's time, which is ${isoTime(time)}`);
    if (createdAt < 0) throw refuse(`not be before ${isoTime(0)}`);
    if (status === "timeout" && ageMs <= taskTimeoutMs)
      throw refuse("be more than an hour ago for a timeout");
    if (!isFinalStatus(status) && ageMs > taskTimeoutMs)
      throw refuse(`be at most an hour ago while \`status\` is ${status}: the task has timed out`);
    return { account, given, path, createdAt, ageMs };
  });
}

/** Creates and ends all tasks, each at its own time, by the transitions of real requests. */
function replay(world: World, entries: readonly Entry[], names: Names): void {
  const endings: { at: number; apply(): void }[] = [];
  const applyEndings = (until: number) => {
    endings.sort((one, other) => one.at - other.at);
    while (endings[0] !== undefined && endings[0].at <= until) endings.shift()?.apply();
  };
  for (const entry of entries) {
    applyEndings(entry.createdAt);
    const { account, given, createdAt } = entry;
    const task = addTask(world, entry);
    claim(names, task.id, `${entry.path}.task_id`);
    if (given.status === "running") task.status = "running";
    if (given.status === "timeout") {
      const at = createdAt + taskTimeoutMs + 1;
      endings.push({ at, apply: () => applyTimeouts(world, account, at) });
    } else if (isFinalStatus(given.status)) {
      const at = createdAt + task.plan.queueMs + task.plan.workMs;
      endings.push({ at, apply: () => endTask(world, entry, task, at, names) });
    }
  }
  applyEndings(Number.POSITIVE_INFINITY);
}

function addTask(world: World, { account, given, path, createdAt, ageMs }: Entry): OpenTask {
  const { model, task_type: type, audio_format: audioFormat = null, task_id: taskId } = given;
  const credits = priceOf(model, type);
  const outcome = outcomeOf(given, path);
  // `parseSeedFile` returns JSON only.
  const input = given.input as ProviderTask["input"];
  const order = { id: taskId?.toLowerCase(), model, type, input, audioFormat, credits, outcome };
  const { available } = account.ledger;
  const task = createTask(world, account, order, createdAt);
  if (typeof task === "string") {
    const accountPath = path.slice(0, path.lastIndexOf("."));
    const reason = `\`${path}\` cost ${credits} at ${isoTime(createdAt)}, when ${available} were available`;
    throw invalidField(`${accountPath}.credits`, `must be higher: ${reason}`);
  }
  if (given.status === "success" && task.plan.end.outcome !== "success") {
    const field = type === "concat" ? "clip_id" : "continue_clip_id";
    const rule = "be a clip of a task of the account that had succeeded before";
    throw invalidOption(`${path}.input.${field}`, rule, input[field]);
  }
  // Even if the input names an unknown clip.
  if (given.status === "failure" || given.status === "timeout") task.plan.end = planEnd(model, type, outcome);
  setDurations(task, given, path, ageMs);
  return task;
}

/** What the provider did, or will do, with a task. */
function outcomeOf(given: ParsedSeedTask, path: string): Outcome {
  const { status, process_seconds, clip_ids: clipIds, clips = clipIds?.length } = given;
  switch (status) {
    case "pending":
    case "running": {
      const { outcome = {} } = given;
      if (outcome.outcome !== "reject") return outcome;
      const rule = "be success, failure or hang, since the task exists already";
      throw invalidOption(`${path}.outcome.outcome`, rule, "reject");
    }
    case "success": {
      const { format, storable, alternate_urls } = given;
      return { process_seconds, clips, format, storable, alternate_urls };
    }
    case "failure": {
      const { error, error_code, retryable, retry_after_seconds } = given;
      return { outcome: "failure", process_seconds, error, error_code, retryable, retry_after_seconds };
    }
    case "timeout":
      return { outcome: "hang" };
    default:
      return status satisfies never;
  }
}

/** Without durations in the file, an unfinished task stays as it is for as long as a new one, and a finished one ends by now. */
function setDurations({ plan }: OpenTask, given: ParsedSeedTask, path: string, ageMs: number): void {
  const { status, process_seconds: seconds, outcome = {} } = given;
  const isTimed = (outcome.queue_seconds ?? outcome.process_seconds ?? outcome.polls) !== undefined;
  if (status === "pending" && !isTimed) plan.queueMs += ageMs;
  if (status === "running" && !isTimed) Object.assign(plan, { queueMs: 0, workMs: plan.workMs + ageMs });
  if (status !== "success" && status !== "failure") return;
  const mostMs = Math.min(ageMs, taskTimeoutMs);
  if (plan.queueMs + plan.workMs <= mostMs) return;
  if (seconds !== undefined) {
    const reason = ageMs < taskTimeoutMs ? "the task's age" : "after which a task times out";
    throw invalidOption(`${path}.process_seconds`, `be at most ${mostMs / 1000}, ${reason}`, seconds);
  }
  Object.assign(plan, { queueMs: 0, workMs: mostMs });
}

/** Ends a task at a read, as a client that polls does, and gives its clips the IDs of the file. */
function endTask(
  world: World,
  { account, given, path }: Entry,
  open: OpenTask,
  at: number,
  names: Names,
): void {
  const task = readTask(world, account, open, at);
  invariant(task.status === given.status, "a seeded task ends as planned");
  const { clip_ids: clipIds } = given;
  const clips = task.status === "success" && Array.isArray(task.result) ? task.result : [];
  if (clipIds !== undefined && clips.length !== clipIds.length)
    throw invalidField(`${path}.clip_ids`, `must be omitted, since ${task.type} has no clips`);
  for (const [index, clip] of clips.entries()) {
    world.index.clips.delete(clip.id);
    clip.id = clipIds?.[index] ?? clip.id;
    claim(names, clip.id, `${path}.clip_ids[${index}]`);
  }
  indexTask(world.index, task);
}

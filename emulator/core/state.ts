import * as z from "zod/mini";
import { isoTime, LATEST_TIME, parseIsoTime } from "../time/clock.js";
import {
  createAccount,
  createKey,
  EMULATOR_KEY_FORM,
  type StoredAccount,
  storedAccountSchema,
} from "./accounts.js";
import {
  count,
  integer,
  invalidValue,
  isoTimeSchema,
  list,
  normalizeId,
  objectOf,
  oneOf,
  parseOption,
  text,
} from "./checks.js";
import { addedFaultSchema } from "./faults.js";
import { sumsMatchEntries } from "./ledger.js";
import { type Audit, auditSchema, createAudit } from "./log/audit.js";
import { loggedRequestSchema } from "./log/request-log.js";
import type { StoredPayment } from "./payments/schemas.js";
import { createPolicy, policySchema } from "./policy.js";
import type { PolicyChanges } from "./policy-fields.js";
import { createScripts, scriptsSchema } from "./providers.js";
import { DEFAULT_LIMITS, type LimitsChanges, limitsSchema, mergeLimits } from "./rate-limit.js";
import { parseInput, type StoredTask, storedTaskSchema } from "./task.js";

const COUNTED = [
  "accounts",
  "keys",
  "requests",
  "connections",
  "faults",
  "arrivals",
  "payments",
  "invoices",
  "authorizations",
] as const;

const countsSchema = z.record(oneOf(...COUNTED), count, "be an object");

/** Everything that an emulator stores, except for the time, which is the clock's. */
export type State = Omit<StateData, "audit"> & { audit: Audit };

export type StateData = z.output<typeof stateSchema>;
export const stateSchema = objectOf({
  /** With the counts, the position in every stream of random numbers. */
  seed: integer,
  /** The seed of the later version of the service that is played; absent for today's. */
  future: z.optional(integer),
  /** The first account, and its key, which a reset does not change. */
  owner: objectOf({ accountId: text, apiKey: text }),
  /** How many of each were ever made. */
  counts: countsSchema,
  policy: policySchema,
  limits: limitsSchema,
  accounts: list(storedAccountSchema),
  tasks: list(storedTaskSchema),
  scripts: scriptsSchema,
  faults: list(addedFaultSchema),
  requests: list(loggedRequestSchema),
  audit: auditSchema,
});

/** The initial state of an emulator, at its creation and after a reset. */
export interface ResetOptions {
  /** The seed of all IDs, durations and songs: a whole number. @defaultValue 1 */
  seed?: number | undefined;
  /**
   * Plays a later version of the service, drawn from this seed, a whole number: statuses, codes and fields that are unknown
   * today, other prose, durations and clips, all within what the interface lets the service change (Versioning). Read
   * `emulator.future` for what is different. @defaultValue today's service
   */
  future?: number | undefined;
  /** The credits of the first account: a whole number. @defaultValue 1000 */
  credits?: number | undefined;
  /** Behavior that the interface does not decide; `"vary"` draws every field from the seed. @defaultValue every field's default */
  policy?: PolicyChanges | "vary" | undefined;
  /** The rate limit of every key. @defaultValue 120 requests in 60 s */
  limits?: LimitsChanges | undefined;
}

export interface NewState extends ResetOptions {
  /** The first account's key. @defaultValue one from the seed */
  apiKey?: string | undefined;
}

export const DEFAULT_SEED = 1;
export const DEFAULT_CREDITS = 1000;

export function createState(options: NewState, now: number): State {
  const { seed = DEFAULT_SEED, future, credits = DEFAULT_CREDITS, policy, limits, apiKey } = options;
  const counts = countsSchema.parse(Object.fromEntries(COUNTED.map((name) => [name, 0])));
  const account = createAccount({ seed, counts, accounts: [] }, credits, now);
  const key = createKey({ seed, counts, accounts: [] }, now, apiKey);
  account.keys.push(key);
  return {
    seed,
    ...(future !== undefined && { future }),
    owner: { accountId: account.id, apiKey: key.value },
    counts,
    policy: createPolicy(seed, policy),
    limits: mergeLimits(DEFAULT_LIMITS, limits ?? {}),
    accounts: [account],
    tasks: [],
    scripts: createScripts(),
    faults: [],
    requests: [],
    audit: createAudit(),
  };
}

/**
 * The whole state of an emulator as JSON. An emulator that restores it behaves exactly as the first one would. The format
 * of `state` may change with each version.
 */
export interface Snapshot {
  readonly version: 1;
  /** The emulator's time: ISO 8601. */
  readonly time: string;
  readonly state: unknown;
}

const VERSION = 1;

export const snapshotSchema = objectOf({
  version: z.literal(VERSION, `be ${VERSION}`),
  time: isoTimeSchema,
  state: z.looseObject({}, "be an object"),
});

const checkedSnapshotSchema = z.extend(snapshotSchema, { state: stateSchema });

export function takeSnapshot(state: State, now: number): z.output<typeof checkedSnapshotSchema> {
  return { version: VERSION, time: isoTime(now), state: copyOf(state) };
}

/** The state and the time of a snapshot. @throws RangeError if it is of another version, or its credits do not add up. */
export function readSnapshot(snapshot: unknown): { state: State; time: number } {
  assertSnapshot(snapshot);
  const time = parseIsoTime(snapshot.time);
  if (!(time <= LATEST_TIME)) {
    const rule = `be an ISO 8601 time, ${isoTime(LATEST_TIME)} at the latest`;
    throw invalidValue("snapshot.time", rule, snapshot.time);
  }
  const data = copyOf(snapshot.state);
  const state = { ...data, audit: createAudit(data.audit) };
  if (!isConsistent(state))
    throw new RangeError(
      "`snapshot` is inconsistent: its accounts, tasks and credits contradict each other. Pass an unchanged snapshot.",
    );
  return { state, time };
}

/** Asserts instead of returning the parsed copy, so that a restored state gives the same snapshot byte for byte. */
function assertSnapshot(value: unknown): asserts value is z.output<typeof checkedSnapshotSchema> {
  parseOption("snapshot", checkedSnapshotSchema, value);
}

/** JSON is a few times faster than a structured clone, and drops what JSON does not hold. */
function copyOf(state: State | StateData): StateData {
  return JSON.parse(JSON.stringify(state));
}

/** Whether every ID refers to an object, and the credits add up. */
export function isConsistent({ owner, accounts, tasks, counts, faults }: State): boolean {
  const accountIds = accounts.map(({ id }) => id);
  const keys = accounts.flatMap((account) => account.keys.map(({ value }) => value));
  const payments = accounts.flatMap(({ purchases }) => purchases.payments);
  const hasBilling = ({ purchases: { billing, payments } }: StoredAccount) =>
    payments.every((each) => (each.billing !== null) === (each.invoice_id !== null && billing !== null));
  return (
    counts.accounts >= accounts.length &&
    counts.keys >= keys.length &&
    counts.payments >= payments.length &&
    counts.invoices >= payments.filter(({ invoice_id: id }) => id !== null).length &&
    payments.every(isConsistentPayment) &&
    accounts.every(hasBilling) &&
    areUnique(payments.map(({ payment_id: id }) => normalizeId(id))) &&
    areUnique(accountIds.map(normalizeId)) &&
    areUnique(keys) &&
    // Not checked by the schema, whose messages show the value.
    [owner.apiKey, ...keys].every((key) => EMULATOR_KEY_FORM.test(key)) &&
    areUnique(tasks.map(({ id }) => normalizeId(id))) &&
    areUnique(tasks.flatMap(clipIdsOf)) &&
    accountIds.includes(owner.accountId) &&
    faults.every(({ rule: { account_id: id } }) => id === undefined || accountIds.includes(id)) &&
    tasks.every((task, index) => task.ordinal === index) &&
    resultsAreValid(tasks) &&
    tasks.length === accounts.reduce((sum, { tasksCreated }) => sum + tasksCreated, 0) &&
    accounts.every((account) => ledgerMatchesTasks(account, tasks))
  );
}

/** Each success has a result of its type, and continues or joins only clips of earlier tasks. */
function resultsAreValid(tasks: readonly StoredTask[]): boolean {
  const made = new Set<string>();
  return tasks.every((task) => {
    if (task.status !== "success") return true;
    const { continues, joins } = parseInput(task);
    const source = continues?.clipId ?? joins;
    const isValid =
      (source === null || made.has(source)) && Array.isArray(task.result) === (task.type !== "lyrics");
    for (const id of clipIdsOf(task)) made.add(id);
    return isValid;
  });
}

function clipIdsOf(task: StoredTask): string[] {
  return task.status === "success" && Array.isArray(task.result) ? task.result.map(({ id }) => id) : [];
}

function isConsistentPayment({ status, ended_at, invoice_id, method, card }: StoredPayment): boolean {
  const isEnded = (ended_at !== null) === (status !== "pending");
  const hasInvoice = (invoice_id !== null) === (status === "completed");
  return isEnded && hasInvoice && (card !== null) === (method === "card");
}

function areUnique(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

/** The account has frozen the credits of each of its tasks once, and settled or refunded them when the task ended. */
export function ledgerMatchesTasks(account: StoredAccount, allTasks: readonly StoredTask[]): boolean {
  const { ledger, tasksCreated, creditsUsed } = account;
  const tasks = allTasks.filter(({ accountId }) => accountId === account.id);
  const moves = new Map<string, string>();
  for (const { kind, credits, task_id: id } of ledger.entries)
    if (id !== null) moves.set(id, `${moves.get(id) ?? ""}${kind} ${credits}, `);
  const open = tasks.filter((task) => !("completedAt" in task));
  return (
    tasksCreated === tasks.length &&
    moves.size === tasks.length &&
    tasks.every((task) => moves.get(task.id) === movesFor(task)) &&
    creditsUsed === tasks.reduce((sum, { credits }) => sum + credits, 0) &&
    Object.keys(ledger.holds).length === open.length &&
    open.every(({ ordinal, credits }) => ledger.holds[ordinal] === credits) &&
    sumsMatchEntries(ledger)
  );
}

function movesFor({ status, credits }: StoredTask): string {
  const frozen = `freeze ${credits}, `;
  if (status === "pending" || status === "running") return frozen;
  return `${frozen}${status === "success" ? "settle" : "refund"} ${credits}, `;
}

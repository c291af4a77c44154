import { priceOf } from "../../../src/contract/prices.js";
import { isFinalStatus, LIMITS } from "../../../src/contract/service.js";
import { isoTime, parseIsoTime } from "../../time/clock.js";
import type { StoredAccount } from "../accounts.js";
import { type InvalidValueError, invalidField, invalidValue, invariant, normalizeId } from "../checks.js";
import { indexTask, type World } from "../core.js";
import { topUp } from "../ledger.js";
import { findViolation } from "../policy.js";
import type { Policy } from "../policy-fields.js";
import { type CheckedOutcome, planEnd } from "../providers.js";
import type { OpenTask, ProviderTask } from "../task.js";
import { applyTimeouts, clipsIn, createOpenTask, readTask } from "../transitions.js";
import type { Mistakes, ReadAccount } from "./read.js";
import { type ParsedSeedTask, parseAgo } from "./schema.js";

/** What all steps of building a state share. */
export interface Seeding {
  readonly mistakes: Mistakes;
  readonly time: number;
  /** The key that the emulator keeps, if it has one already. */
  readonly ownerKey: string | undefined;
  /** The keys in the file. */
  readonly ownKeys: readonly string[];
}

export interface Owner {
  readonly account: StoredAccount;
  /** The account in the file. */
  readonly given: ReadAccount;
  /** `seedFile.accounts[0]` */
  readonly path: string;
}

/** A task of the file, before it is created. */
export interface Entry {
  readonly owner: Owner;
  readonly given: ParsedSeedTask;
  /** `seedFile.accounts[0].tasks[1]` */
  readonly path: string;
  readonly createdAt: number;
  readonly ageMs: number;
}

const HOUR_MS = 3_600_000;
const { taskTimeoutMs } = LIMITS;

/** The valid tasks of an account. */
export function entriesOf(owner: Owner, { time, mistakes }: Seeding, policy: Policy): Entry[] {
  const { tasks = [] } = owner.given;
  const isUndated = ({ created_at, created_ago, status }: ParsedSeedTask) =>
    created_at === undefined && created_ago === undefined && isFinalStatus(status);
  let undated = tasks.filter((task) => task !== null && isUndated(task)).length;
  const findMistakes = ({ given, path, createdAt, ageMs }: Entry): InvalidValueError[] => {
    const { created_at: at, created_ago: ago = "0s", status } = given;
    const refuse = (rule: string) => [
      invalidValue(`${path}.${at === undefined ? "created_ago" : "created_at"}`, rule, at ?? ago),
    ];
    if (createdAt > time) return refuse(`not be after the emulator's time, which is ${isoTime(time)}`);
    if (createdAt < 0) return refuse(`not be before ${isoTime(0)}`);
    if (status === "timeout" && ageMs <= taskTimeoutMs)
      return refuse("be more than an hour ago for a timeout");
    if (!isFinalStatus(status) && ageMs > taskTimeoutMs)
      return refuse(`be at most an hour ago while \`status\` is ${status}: the task has timed out`);
    return [];
  };
  return tasks.flatMap((given, position) => {
    if (given === null) return [];
    const path = `${owner.path}.tasks[${position}]`;
    const { created_at: at, created_ago: ago = "0s" } = given;
    const defaultMs = isUndated(given) ? HOUR_MS * (1 + undated--) : parseAgo(ago);
    const createdAt = at === undefined ? time - defaultMs : parseIsoTime(at);
    const entry = { owner, given, path, createdAt, ageMs: time - createdAt };
    const found = [...findMistakes(entry), ...requestMistakes(entry, policy)];
    mistakes.add(...found);
    if (found.length === 0) return [entry];
    // It is not created. Other tasks may name its clips.
    owner.given.lostClips = [...(owner.given.lostClips ?? []), ...(given.clip_ids ?? [])];
    return [];
  });
}

function requestMistakes({ given, path }: Entry, policy: Policy): InvalidValueError[] {
  // A task whose request had no `audio_format` has the value `null`.
  const issues = findViolation(given, { ...policy, null_audio_format: "omitted" })?.issues ?? [];
  return issues.map((issue) => invalidField(`${path}.${issue.path}`, issue.message));
}

/** Creates and ends all tasks, each at its own time, by the transitions of real requests. */
export function replayTasks(world: World, entries: readonly Entry[], seeding: Seeding): void {
  const endings: { at: number; apply(): void }[] = [];
  const applyEndings = (until: number) => {
    endings.sort((one, other) => one.at - other.at);
    while (endings[0] !== undefined && endings[0].at <= until) endings.shift()?.apply();
  };
  for (const entry of entries) {
    applyEndings(entry.createdAt);
    const { owner, given, createdAt } = entry;
    const task = addTask(world, entry, seeding);
    if (given.status === "running") task.status = "running";
    if (given.status === "timeout") {
      const at = createdAt + taskTimeoutMs + 1;
      endings.push({ at, apply: () => applyTimeouts(world, owner.account, at) });
    } else if (isFinalStatus(given.status)) {
      const at = createdAt + task.plan.queueMs + task.plan.workMs;
      endings.push({ at, apply: () => endSeededTask(world, entry, task, at, seeding.mistakes) });
    }
  }
  applyEndings(Number.POSITIVE_INFINITY);
}

function addTask(world: World, entry: Entry, { mistakes }: Seeding): OpenTask {
  const { owner, given, path, createdAt } = entry;
  const { account } = owner;
  const { model, task_type: type, audio_format: audioFormat = null } = given;
  const credits = priceOf(model, type);
  const outcome = outcomeOf(entry, mistakes);
  const taskId = given.task_id === undefined ? undefined : normalizeId(given.task_id);
  const isOwnId = taskId !== undefined && mistakes.claim(taskId, `${path}.task_id`);
  // `readSeedFile` returns JSON only.
  const input = given.input as ProviderTask["input"];
  const order = { id: isOwnId ? taskId : undefined, model, type, input, audioFormat, credits, outcome };
  const { available } = account.ledger;
  const missing = credits - available;
  if (missing > 0) {
    const reason = ` cost ${credits} at ${isoTime(createdAt)}, when ${available} were available`;
    reportCredits(entry, mistakes, reason);
    topUp(account.ledger, missing, createdAt);
  }
  const { task } = createOpenTask(world, account, order, createdAt);
  invariant(task !== null, "a seeded task is accepted");
  if (!isOwnId) mistakes.claim(task.id, `${path}.task_id`);
  if (given.status === "success" && task.plan.end.outcome !== "success") reportClip(entry, task, mistakes);
  // Even if the input names an unknown clip.
  if (isFinalStatus(given.status)) task.plan.end = planEnd(model, type, outcome);
  setDurations(task, entry, mistakes);
  return task;
}

/** Once for each account. Not if one of its tasks is missing, which may have been paid from the same credits. */
function reportCredits({ owner, path }: Entry, mistakes: Mistakes, reason: string): void {
  const { lostClips, hasInvalidCredits } = owner.given;
  if (lostClips === undefined && hasInvalidCredits === undefined)
    mistakes.add(invalidField(`${owner.path}.credits`, ["must be higher: ", { name: path }, reason]));
  owner.given.hasInvalidCredits = true;
}

function reportClip({ owner, path }: Entry, task: ProviderTask, mistakes: Mistakes): void {
  const rule = "be a clip of a task of the account that had succeeded before";
  for (const { field, clipId } of clipsIn(task))
    if (!owner.given.lostClips?.includes(clipId))
      mistakes.add(invalidValue(`${path}.input.${field}`, rule, clipId));
}

/** What the provider did, or will do, with a task. */
function outcomeOf({ given, path }: Entry, mistakes: Mistakes): CheckedOutcome {
  const { status, process_seconds, clip_ids: clipIds, clips = clipIds?.length } = given;
  switch (status) {
    case "pending":
    case "running": {
      const { outcome = {} } = given;
      if (outcome.outcome !== "reject") return outcome;
      const rule = "be success, failure or hang, since the task exists already";
      mistakes.add(invalidValue(`${path}.outcome.outcome`, rule, "reject"));
      return {};
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
function setDurations({ plan }: OpenTask, { given, path, ageMs }: Entry, mistakes: Mistakes): void {
  const { status, process_seconds: seconds, outcome = {} } = given;
  const isTimed = (outcome.queue_seconds ?? outcome.process_seconds ?? outcome.polls) !== undefined;
  if (status === "pending" && !isTimed) plan.queueMs += ageMs;
  if (status === "running" && !isTimed) Object.assign(plan, { queueMs: 0, workMs: plan.workMs + ageMs });
  if (status !== "success" && status !== "failure") return;
  const mostMs = Math.min(ageMs, taskTimeoutMs);
  if (plan.queueMs + plan.workMs <= mostMs) return;
  if (seconds !== undefined) {
    const reason = ageMs < taskTimeoutMs ? "the task's age" : "after which a task times out";
    const rule = `be at most ${mostMs / 1000}, ${reason}`;
    mistakes.add(invalidValue(`${path}.process_seconds`, rule, seconds));
  }
  Object.assign(plan, { queueMs: 0, workMs: mostMs });
}

/** Ends a task at a read, as a client that polls does, and gives its clips the IDs of the file. */
function endSeededTask(world: World, entry: Entry, open: OpenTask, at: number, mistakes: Mistakes): void {
  const { owner, given, path } = entry;
  const task = readTask(world, owner.account, open, at);
  invariant(task.status === given.status, "a seeded task ends as planned");
  const { clip_ids: clipIds } = given;
  const clips = task.status === "success" && Array.isArray(task.result) ? task.result : [];
  if (clipIds !== undefined && clips.length !== clipIds.length)
    mistakes.add(invalidField(`${path}.clip_ids`, `must be omitted, since ${task.type} has no clips`));
  for (const [index, clip] of clips.entries()) {
    world.index.clips.delete(clip.id);
    clip.id = clipIds?.[index] ?? clip.id;
    mistakes.claim(clip.id, `${path}.clip_ids[${index}]`);
  }
  indexTask(world.index, task);
}

import { LIMITS } from "../contract/service.js";
import { ageBy, Durations } from "./durations.js";
import { type Claimant, fairLevel, partOf } from "./max-min.js";
import type { TaskEstimate, WaitingTask } from "./pacer.js";
import { PollPlan } from "./poll-plan.js";
import {
  choosePlan,
  needOf,
  nextPollAt,
  type PlannedPoll,
  type ScheduledPoll,
  type ScheduledTask,
  sampleOf,
  USUAL_GAPS,
} from "./poll-price.js";
import { type Fairness, LEFTOVERS_MS, type Tenant, type Tenants } from "./tenants.js";
import type { PollBudget } from "./window.js";

/** The longest gap is kept while that takes at most this share of what is left of the window: the rest goes to likely ends. */
const LONGEST_GAP_SHARE = 0.8;

/**
 * Until this many ends of a kind are known, its oldest tasks are polled early, each at ages that grow by a half:
 * otherwise "160 cold, each takes 42 s" (tools/pacing/scenarios.ts) takes 64 s instead of 39.
 */
const LEARNED_ENDS = 20;
/** An estimate needs so many ends of its kind: see `npm run estimates`. */
export const ESTIMATED_ENDS = 20;
const EXPLORERS = 3;
/**
 * One of this many explores: otherwise processes with few tasks each, "ten members, a hundred tasks at once"
 * (test/sdk/fleet.test.ts), take 14 s instead of 9.
 */
const TASKS_PER_EXPLORER = 10;
const EXPLORED_GROWTH = 1.5;
const YOUNGEST_EXPLORED_MS = 10_000;

/**
 * Of tasks of which only the ID is known, some are polled first, and the others one by one, until a response has shown how
 * old they are: otherwise "100 in flight" (tools/pacing/scenarios.ts) takes 18 s instead of 13.
 */
const FIRST_RESUMED = 3;
const RESUMED_APART_MS = 500;
/** All of them are read at once if that takes at most this share of what is left of the window. */
const FIRST_READS_SHARE = 0.25;

/** Models and types come from the service. This many have a distribution, of 16 kB each; all others share one. */
const MOST_KINDS = 16;
export const LONGEST_KIND_NAME = 100;

/** An end that another process has found: a task was unfinished at one age, and finished at a later one. */
export interface TaskEnd {
  model: string;
  type: string;
  unfinishedMs: number;
  ageMs: number;
}

/** How many tenants are planned one by one: those with the most tasks. All others with scarce polls have one plan. */
const MOST_PLANS = 8;

/**
 * Plans when waiting tasks are polled. A poll has a price, set from what is left of the window: the price at which the
 * cheapest plans of all waiting tasks spend just that. Each tenant has a price of its own, since the polls of a window are
 * divided among the tenants.
 */
export class PollSchedule {
  readonly #tenants: Tenants;
  readonly #kinds = new Map<string, Durations>();
  /** Whether all tasks are polled as soon as their callers allow. */
  isFree = true;
  /** How many requests a tenant may send in the window that began at `from`; `Infinity` if that is not scarce. */
  #window = { level: Number.POSITIVE_INFINITY, from: Number.NEGATIVE_INFINITY, until: 0 };
  /** The kind, and the age when it could first be polled, of the latest task of which only the ID was known. */
  #resumed: { kind: Durations; ageMs: number } | null = null;

  constructor(tenants: Tenants) {
    this.#tenants = tenants;
  }

  /** Learns from a response. Returns whether to plan anew at once. */
  learn(task: WaitingTask, now: number, isFinished: boolean): boolean {
    const { submittedAt, unfinishedAt, resumedAt } = task;
    const kind = this.#kindOf(task);
    const isFirstResumed = resumedAt !== undefined && this.#resumed === null;
    if (resumedAt !== undefined) this.#resumed = { kind, ageMs: Math.max(0, resumedAt - submittedAt) };
    kind.learn(unfinishedAt - submittedAt, now - submittedAt, isFinished);
    return isFirstResumed || (isFinished && kind.ends <= LEARNED_ENDS);
  }

  /** Learns from the end of a task that another process has polled, from its submission on: the next plan uses it. */
  learnEnd(end: TaskEnd): void {
    const kind = this.#kindOf(end);
    kind.learn(0, end.unfinishedMs, false);
    kind.learn(end.unfinishedMs, end.ageMs, true);
  }

  /** How much longer a task takes that was unfinished at its last reading; `null` before enough ends of its kind are known. */
  estimate(task: WaitingTask, now: number): TaskEstimate | null {
    const durations = this.#kinds.get(this.#keyOf(task));
    if (durations === undefined || durations.ends < ESTIMATED_ENDS) return null;
    durations.refresh();
    const { submittedAt, unfinishedAt } = task;
    const left = (share: number) => {
      const endsAt = submittedAt + ageBy(durations, share, Math.max(0, unfinishedAt - submittedAt));
      return Math.max(0, endsAt - now) / 1000;
    };
    return { medianSeconds: left(0.5), p90Seconds: left(0.9) };
  }

  /**
   * A poll begins to wait: sets its task, and when it is due. Its tenant notes that the task is in flight no more, that another task
   * began to wait, and that one of its first reads was used.
   */
  enter(poll: ScheduledPoll, task: WaitingTask | undefined, now: number): void {
    const { tenant, taskId, notBefore, dueBy } = poll;
    if (taskId !== undefined) tenant.noteWait(taskId);
    if (task !== undefined) {
      const { submittedAt, unfinishedAt } = task;
      const kind = this.#kindOf(task);
      if (unfinishedAt === submittedAt) tenant.noteArrival(kind, now);
      const gapMs = Math.max(LIMITS.shortestPollIntervalMs, notBefore - unfinishedAt);
      const longestGapMs = Math.max(gapMs, dueBy - unfinishedAt);
      poll.task = { kind, tenant, submittedAt, unfinishedAt, gapMs, longestGapMs };
    }
    const known = this.#taskOf(poll);
    if (poll.task === null && tenant.firstReads >= 1) {
      tenant.firstReads--;
      poll.dueAt = notBefore;
      return;
    }
    if (known !== null) {
      poll.dueAt = nextPollAt(tenant.plan, known, notBefore, dueBy);
      return;
    }
    tenant.nextResumedAt = Math.max(now, tenant.nextResumedAt) + RESUMED_APART_MS;
    poll.dueAt = notBefore + Math.max(0, tenant.nextResumedAt - now - FIRST_RESUMED * RESUMED_APART_MS);
  }

  /** Divides what is left of the window among the tenants, and sets when the waiting polls are due: their order changes. */
  plan(waiting: readonly ScheduledPoll[], budget: PollBudget, fairness: Fairness | null): void {
    const loads = [...this.#loadsOf(waiting, budget.now).values()];
    const level = this.#divide(loads, budget);
    this.isFree = true;
    for (const { members, polls } of groupsOf(loads, level, budget.polls, fairness)) {
      const { isFree } = planTogether(members, { ...budget, polls });
      this.isFree &&= isFree;
    }
    for (const { tenant, polls, ofIds } of loads) {
      tenant.firstReads = FIRST_READS_SHARE * Math.min(budget.polls, tenant.left(level)) - ofIds.length;
      if (!tenant.plan.isFree) explore(polls);
      if (tenant.firstReads >= 0) for (const poll of ofIds) poll.dueAt = poll.notBefore;
    }
  }

  /** Whether the polls of a tenant must wait for the next plan: it has had its part of the window. */
  isExhausted(tenant: Tenant, now: number): boolean {
    return tenant.left(this.#window.level) <= 0 && now < this.#window.until - LEFTOVERS_MS;
  }

  /** The waiting polls of each tenant. At the beginning of a window, all polls of a tenant may be in flight. */
  #loadsOf(waiting: readonly ScheduledPoll[], now: number): Map<Tenant, Load> {
    const inFlight = this.#tenants.areNamed ? this.#tenants.inFlight(now) : [];
    const loads = new Map(inFlight.map((tenant) => [tenant, createLoad(tenant)]));
    for (const poll of waiting) {
      const { tenant, taskId } = poll;
      const load = loads.get(tenant) ?? createLoad(tenant);
      loads.set(tenant, load);
      const task = this.#taskOf(poll);
      // Waits on one task share its polls.
      const isShared = taskId !== undefined && load.taskIds.size === load.taskIds.add(taskId).size;
      if (task !== null) (isShared ? load.shared : load.polls).push({ poll, task });
      if (poll.task === null && !isShared) load.ofIds.push(poll);
    }
    return loads;
  }

  /** Returns how many requests each tenant may send in this window. */
  #divide(loads: readonly Load[], budget: PollBudget): number {
    const { polls, from, until } = budget;
    if (from !== this.#window.from) this.#tenants.beginWindow();
    let level = Number.POSITIVE_INFINITY;
    if (loads.length > 1 || this.#tenants.elsewhere > 0) {
      for (const load of loads) load.claim = claimOf(load, budget);
      level = fairLevel(
        polls,
        loads.map(({ claim }) => claim),
      );
    }
    this.#window = { level, from, until };
    return level;
  }

  /** A task of which only the ID is known is assumed to be like the latest one that was resumed. */
  #taskOf({ tenant, task, notBefore }: ScheduledPoll): ScheduledTask | null {
    if (task !== null || this.#resumed === null) return task;
    const submittedAt = notBefore - this.#resumed.ageMs;
    return { kind: this.#resumed.kind, tenant, submittedAt, unfinishedAt: submittedAt, ...USUAL_GAPS };
  }

  #keyOf({ model, type }: Pick<WaitingTask, "model" | "type">): string {
    const name = JSON.stringify([model.slice(0, LONGEST_KIND_NAME), type.slice(0, LONGEST_KIND_NAME)]);
    return this.#kinds.has(name) || this.#kinds.size < MOST_KINDS ? name : "others";
  }

  #kindOf(task: Pick<WaitingTask, "model" | "type">): Durations {
    const key = this.#keyOf(task);
    const kind = this.#kinds.get(key) ?? new Durations();
    this.#kinds.set(key, kind);
    return kind;
  }
}

/** The waiting polls of a tenant. */
interface Load {
  tenant: Tenant;
  polls: PlannedPoll[];
  /** Those of tasks that another poll of the tenant reads. */
  shared: PlannedPoll[];
  /** Those of tasks of which only the ID is known. */
  ofIds: ScheduledPoll[];
  taskIds: Set<string>;
  /** Its part of the window. */
  claim: Claimant;
}

function createLoad(tenant: Tenant): Load {
  const claim = { has: 0, wants: 0, weight: 1 };
  return { tenant, polls: [], shared: [], ofIds: [], taskIds: new Set(), claim };
}

/** A tenant wants to poll all of its tasks at the shortest gaps, and one more that begins now. */
function claimOf({ tenant, polls, ofIds }: Load, budget: PollBudget): Claimant {
  const { atShortestGaps } = needOf(sampleOf(polls, [tenant], budget), budget);
  const unknown = ofIds.length - polls.filter(({ poll }) => poll.task === null).length;
  const ofEach = Math.ceil((budget.until - budget.now) / USUAL_GAPS.gapMs);
  const ofOthers = ofEach * (tenant.pollsInFlight(budget.now) + 1);
  return { has: tenant.spent, wants: atShortestGaps + unknown + ofOthers, weight: tenant.weight };
}

/** Tenants that are planned together, and the polls that they may spend. */
interface Group {
  members: readonly Load[];
  polls: number;
}

function groupsOf(loads: readonly Load[], level: number, polls: number, fairness: Fairness | null): Group[] {
  const isScarce = ({ tenant, claim }: Load) =>
    partOf(claim, level) < claim.wants && !(fairness && fairness.untilAhead(tenant) > 0);
  // Where polls are divided, a tenant that is not scarce has enough.
  const enough = level === Number.POSITIVE_INFINITY ? polls : Number.POSITIVE_INFINITY;
  const free = loads.filter((load) => !isScarce(load)).map((load) => ({ members: [load], polls: enough }));
  const scarce = loads.filter(isScarce).sort((one, other) => other.polls.length - one.polls.length);
  const groups = scarce.slice(0, MOST_PLANS).map((load) => [load]);
  if (scarce.length > MOST_PLANS) groups.push(scarce.slice(MOST_PLANS));
  const partsOf = (members: Load[]) => members.reduce((sum, { claim }) => sum + partOf(claim, level), 0);
  return [...free, ...groups.map((members) => ({ members, polls: partsOf(members) }))];
}

/** Sets the price from what is left of the window, and when the polls of some tenants are due. */
function planTogether(members: readonly Load[], budget: PollBudget): PollPlan {
  const tenants = members.map(({ tenant }) => tenant);
  const [first] = tenants;
  const isAlone = tenants.length === 1 && first !== undefined;
  const plan = isAlone && !first.plan.isCommon ? first.plan : new PollPlan(!isAlone);
  for (const tenant of tenants) tenant.plan = plan;
  const polls = isAlone ? (members[0]?.polls ?? []) : members.flatMap((load) => load.polls);
  const demand = sampleOf(polls, tenants, budget);
  const { atShortestGaps, atLongestGaps } = needOf(demand, budget);
  plan.window = budget;
  plan.isFree = atShortestGaps <= budget.polls;
  plan.keepsLongestGap = plan.isFree || atLongestGaps <= LONGEST_GAP_SHARE * budget.polls;
  if (!plan.isFree) choosePlan(plan, demand, polls.length, budget);
  for (const load of members)
    for (const { poll, task } of [...load.polls, ...load.shared])
      poll.dueAt = nextPollAt(plan, task, poll.notBefore, poll.dueBy);
  return plan;
}

/** Of each kind that is little known, the oldest tasks are polled early. */
function explore(polls: PlannedPoll[]): void {
  polls.sort((one, other) => one.task.submittedAt - other.task.submittedAt);
  for (const kind of new Set(polls.map(({ task }) => task.kind))) {
    if (kind.ends >= LEARNED_ENDS) continue;
    const ofKind = polls.filter(({ task }) => task.kind === kind);
    const explorers = Math.min(EXPLORERS, Math.floor(ofKind.length / TASKS_PER_EXPLORER));
    for (const { poll, task } of ofKind.slice(0, explorers)) {
      const { submittedAt, unfinishedAt } = task;
      const ageMs = Math.max(YOUNGEST_EXPLORED_MS, EXPLORED_GROWTH * (unfinishedAt - submittedAt));
      poll.dueAt = Math.min(poll.dueAt, Math.max(poll.notBefore, submittedAt + ageMs));
    }
  }
}

import { LIMITS } from "../contract/service.js";
import { Durations, interpolate, LAST_POLL_MS } from "./durations.js";
import { Demand } from "./key-use.js";
import type { WaitingTask } from "./pacer.js";
import { nextAge, planPolls } from "./poll-plan.js";
import type { PollBudget } from "./window.js";

/** The tasks of one model and type: their durations, how often one begins to wait, and the current plan of polls. */
interface TaskKind {
  durations: Durations;
  arrivals: Demand;
  plan: Float64Array | null;
}

/** A task on the pacer's clock. */
interface ScheduledTask {
  kind: TaskKind;
  submittedAt: number;
  /** When it was last found unfinished, or submitted. */
  unfinishedAt: number;
  /** The gaps between its polls that the caller wants. */
  gapMs: number;
  longestGapMs: number;
}

/** A poll that waits for its admission. */
export interface ScheduledPoll {
  taskId: string | undefined;
  /** `null` before the first response for a task of which only the id is known. */
  task: ScheduledTask | null;
  notBefore: number;
  dueBy: number;
  dueAt: number;
}

/** The gaps between polls of one task that callers want, unless they set others (Limits: Polling). */
const { shortest: GAP_MS, longest: LONGEST_GAP_MS } = LIMITS.recommendedPollIntervalMs;
const USUAL_GAPS = { gapMs: GAP_MS, longestGapMs: LONGEST_GAP_MS };
/** The longest gap is kept while that takes at most this share of what is left of the window: the rest goes to likely ends. */
const LONGEST_GAP_SHARE = 0.8;

/** The price is computed from this many polls, to a tenth, from this price upwards. */
const SAMPLE_SIZE = 50;
const PRECISION = 1.1;
const CHEAPEST_MS = 10;
/**
 * No poll costs more than this many times as long as it takes to poll all tasks once: otherwise "160 cold, each takes 42 s"
 * (tools/pacing/scenarios.ts) takes 50 s, not 39.
 */
const DEAREST = 2;

/**
 * Until this many ends of a kind are known, its oldest tasks are polled early, each at ages that grow by a half:
 * otherwise "160 cold, each takes 42 s" (tools/pacing/scenarios.ts) takes 64 s instead of 39.
 */
const LEARNED_ENDS = 20;
const EXPLORERS = 3;
/**
 * One of this many explores: otherwise processes with few tasks each, "ten members, a hundred tasks at once"
 * (test/sdk/fleet.test.ts), take 14 s instead of 9.
 */
const TASKS_PER_EXPLORER = 10;
const EXPLORED_GROWTH = 1.5;
const YOUNGEST_EXPLORED_MS = 10_000;

/**
 * Of tasks of which only the id is known, some are polled first, and the others one by one, until a response has shown how
 * old they are: otherwise "100 in flight" (tools/pacing/scenarios.ts) takes 18 s instead of 13.
 */
const FIRST_RESUMED = 3;
const RESUMED_APART_MS = 500;
/** All of them are read at once if that takes at most this share of what is left of the window. */
const FIRST_READS_SHARE = 0.25;

/** Models and types come from the service. This many have a distribution, of 16 kB each; all others share one. */
const MOST_KINDS = 16;
const LONGEST_NAME = 100;

/**
 * Plans when waiting tasks are polled. A poll has a price, set from what is left of the window: the price at which the
 * cheapest plans of all waiting tasks spend just that.
 */
export class PollSchedule {
  readonly #kinds = new Map<string, TaskKind>();
  /** Whether all tasks are polled as soon as their callers allow. */
  isFree = true;
  #keepsLongestGap = true;
  /** The kind, and the age when it could first be polled, of the latest task of which only the id was known. */
  #resumed: { kind: TaskKind; ageMs: number } | null = null;
  #nextResumedAt = Number.NEGATIVE_INFINITY;
  /** How many tasks of which only the id is known are read at once before the next plan. */
  #firstReads = 0;

  /** Learns from a response. Returns whether to plan anew at once. */
  learn(task: WaitingTask, now: number, isFinished: boolean): boolean {
    const { submittedAt, unfinishedAt, resumedAt } = task;
    const kind = this.#kindOf(task);
    const isFirstResumed = resumedAt !== undefined && this.#resumed === null;
    if (resumedAt !== undefined) this.#resumed = { kind, ageMs: Math.max(0, resumedAt - submittedAt) };
    kind.durations.learn(unfinishedAt - submittedAt, now - submittedAt, isFinished);
    return isFirstResumed || (isFinished && kind.durations.ends <= LEARNED_ENDS);
  }

  /** Sets when a new poll is due. */
  enter(poll: ScheduledPoll, task: WaitingTask | undefined, now: number): void {
    const { notBefore, dueBy } = poll;
    if (task !== undefined) {
      const { submittedAt, unfinishedAt } = task;
      const kind = this.#kindOf(task);
      if (unfinishedAt === submittedAt) kind.arrivals.note(now);
      const gapMs = Math.max(LIMITS.shortestPollIntervalMs, notBefore - unfinishedAt);
      poll.task = {
        kind,
        submittedAt,
        unfinishedAt,
        gapMs,
        longestGapMs: Math.max(gapMs, dueBy - unfinishedAt),
      };
    }
    const known = this.#taskOf(poll);
    if (poll.task === null && this.#firstReads >= 1) {
      this.#firstReads--;
      poll.dueAt = notBefore;
      return;
    }
    if (known !== null) {
      poll.dueAt = this.#dueAt(known, notBefore, dueBy);
      return;
    }
    this.#nextResumedAt = Math.max(now, this.#nextResumedAt) + RESUMED_APART_MS;
    poll.dueAt = notBefore + Math.max(0, this.#nextResumedAt - now - FIRST_RESUMED * RESUMED_APART_MS);
  }

  /** Sets the price from what is left of the window, and plans all waiting polls. */
  plan(waiting: readonly ScheduledPoll[], budget: PollBudget): void {
    const { polls: available, now, until } = budget;
    const polls: PlannedPoll[] = [];
    const ofIds: ScheduledPoll[] = [];
    // Waits on one task share its polls.
    const counted = new Set<string | undefined>();
    const shared: PlannedPoll[] = [];
    for (const poll of waiting) {
      const task = this.#taskOf(poll);
      const isShared = poll.taskId !== undefined && counted.size === counted.add(poll.taskId).size;
      if (task !== null) (isShared ? shared : polls).push({ poll, task });
      if (poll.task === null && !isShared) ofIds.push(poll);
    }
    this.#firstReads = FIRST_READS_SHARE * available - ofIds.length;
    const demand = sampleOf(polls, budget);
    let [atShortestGaps, atLongestGaps] = [0, 0];
    for (const { notBefore, task, weight } of demand) {
      const ms = Math.max(0, until - Math.max(notBefore, now));
      atShortestGaps += weight * Math.ceil(ms / task.gapMs);
      // Expected tasks do not lengthen the gaps of those that wait.
      if (task.submittedAt <= now) atLongestGaps += weight * Math.ceil(ms / task.longestGapMs);
    }
    this.isFree = atShortestGaps <= available;
    this.#keepsLongestGap = this.isFree || atLongestGaps <= LONGEST_GAP_SHARE * available;
    if (!this.isFree) this.#setPrice(demand, polls.length, budget);
    for (const { poll, task } of [...polls, ...shared])
      poll.dueAt = this.#dueAt(task, poll.notBefore, poll.dueBy);
    if (!this.isFree) explore(polls);
    if (this.#firstReads >= 0) for (const poll of ofIds) poll.dueAt = poll.notBefore;
  }

  /** Finds the price by bisection. */
  #setPrice(demand: readonly WeightedTask[], tasks: number, budget: PollBudget): void {
    const kinds = new Set(demand.map(({ task }) => task.kind));
    for (const { durations } of kinds) durations.refresh();
    const setPrice = (priceMs: number) => {
      for (const kind of kinds) kind.plan = planPolls(kind.durations, priceMs);
    };
    const dearestMs = (DEAREST * tasks * (budget.until - budget.now)) / Math.max(1, budget.polls);
    let [low, high] = [CHEAPEST_MS, Math.min(LIMITS.taskTimeoutMs, dearestMs)];
    while (high / low > PRECISION) {
      const middle = Math.sqrt(low * high);
      setPrice(middle);
      const polls = demand.reduce((sum, each) => sum + each.weight * this.#expectedPolls(each, budget), 0);
      if (polls > budget.polls) low = middle;
      else high = middle;
    }
    // The higher price leaves requests unused: with it, "1000 in flight" (tools/pacing/scenarios.ts) takes 1.2 times as long.
    setPrice(low);
  }

  /** How often a task will be polled within the budget's time, by the current plan. */
  #expectedPolls({ task, notBefore, dueBy }: WeightedTask, { now, until }: PollBudget): number {
    const survivalAt = (time: number) => interpolate(task.kind.durations.survival, time - task.submittedAt);
    let [polls, unfinished, unfinishedAt] = [0, 1, task.unfinishedAt];
    let next = Math.max(this.#dueAt(task, notBefore, dueBy), now);
    while (next < until && unfinished > 0.01) {
      polls += unfinished;
      const before = survivalAt(unfinishedAt);
      unfinished *= before > 0 ? survivalAt(next) / before : 0;
      unfinishedAt = next;
      next = this.#dueAt({ ...task, unfinishedAt }, next + task.gapMs, next + task.longestGapMs);
    }
    return polls;
  }

  /** When a task is polled next while the budget lasts. */
  #dueAt({ kind, submittedAt, unfinishedAt }: ScheduledTask, notBefore: number, dueBy: number): number {
    const unfinishedMs = unfinishedAt - submittedAt;
    // A task that is unfinished at its last poll most likely stays so until the service ends it.
    let nextMs: number = LIMITS.taskTimeoutMs + 1000;
    if (unfinishedMs < LAST_POLL_MS) {
      nextMs = this.isFree || kind.plan === null ? 0 : nextAge(kind.plan, unfinishedMs);
    }
    const planned = submittedAt + nextMs;
    return Math.max(notBefore, this.#keepsLongestGap ? Math.min(planned, dueBy) : planned);
  }

  /** A task of which only the id is known is assumed to be like the latest one that was resumed. */
  #taskOf({ task, notBefore }: ScheduledPoll): ScheduledTask | null {
    if (task !== null || this.#resumed === null) return task;
    const submittedAt = notBefore - this.#resumed.ageMs;
    return { kind: this.#resumed.kind, submittedAt, unfinishedAt: submittedAt, ...USUAL_GAPS };
  }

  #kindOf({ model, type }: WaitingTask): TaskKind {
    const name = JSON.stringify([model.slice(0, LONGEST_NAME), type.slice(0, LONGEST_NAME)]);
    const key = this.#kinds.has(name) || this.#kinds.size < MOST_KINDS ? name : "others";
    const kind = this.#kinds.get(key) ?? { durations: new Durations(), arrivals: new Demand(), plan: null };
    this.#kinds.set(key, kind);
    return kind;
  }
}

interface PlannedPoll {
  poll: ScheduledPoll;
  task: ScheduledTask;
}

/** A task that represents so many similar ones. */
interface WeightedTask {
  task: ScheduledTask;
  notBefore: number;
  dueBy: number;
  weight: number;
}

/**
 * Some of the polls, and the expected tasks: without those, "0.6 a second, 5 s or 120 s" (tools/pacing/scenarios.ts)
 * takes 8.9 s instead of 7.5.
 */
function sampleOf(polls: readonly PlannedPoll[], { now, until }: PollBudget): WeightedTask[] {
  const stride = Math.ceil(polls.length / SAMPLE_SIZE);
  const sample: WeightedTask[] = [];
  const kinds = new Set<TaskKind>();
  for (const [index, { poll, task }] of polls.entries()) {
    kinds.add(task.kind);
    const weight = polls.length / Math.ceil(polls.length / stride);
    if (index % stride === 0) sample.push({ task, notBefore: poll.notBefore, dueBy: poll.dueBy, weight });
  }
  for (const kind of kinds) {
    const middle = (now + until) / 2;
    const task = { kind, submittedAt: middle, unfinishedAt: middle, ...USUAL_GAPS };
    const weight = kind.arrivals.within(now, until - now);
    sample.push({ task, notBefore: middle + GAP_MS, dueBy: middle + LONGEST_GAP_MS, weight });
  }
  return sample;
}

/** Of each kind that is little known, the oldest tasks are polled early. */
function explore(polls: PlannedPoll[]): void {
  polls.sort((one, other) => one.task.submittedAt - other.task.submittedAt);
  for (const kind of new Set(polls.map(({ task }) => task.kind))) {
    if (kind.durations.ends >= LEARNED_ENDS) continue;
    const ofKind = polls.filter(({ task }) => task.kind === kind);
    const explorers = Math.min(EXPLORERS, Math.floor(ofKind.length / TASKS_PER_EXPLORER));
    for (const { poll, task } of ofKind.slice(0, explorers)) {
      const { submittedAt, unfinishedAt } = task;
      const ageMs = Math.max(YOUNGEST_EXPLORED_MS, EXPLORED_GROWTH * (unfinishedAt - submittedAt));
      poll.dueAt = Math.min(poll.dueAt, Math.max(poll.notBefore, submittedAt + ageMs));
    }
  }
}

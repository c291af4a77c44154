import { LIMITS } from "../contract/service.js";
import { type Durations, interpolate, LAST_POLL_MS } from "./durations.js";
import { nextAge, type PollPlan, planPolls } from "./poll-plan.js";
import type { Tenant } from "./tenants.js";
import type { PollBudget } from "./window.js";

/** A task on the pacer's clock. */
export interface ScheduledTask {
  /** The durations of the tasks of its model and type. */
  kind: Durations;
  tenant: Tenant;
  submittedAt: number;
  /** When it was last found unfinished, or submitted. */
  unfinishedAt: number;
  /** The gaps between its polls that the caller wants. */
  gapMs: number;
  longestGapMs: number;
}

/** A poll that waits for its admission. */
export interface ScheduledPoll {
  tenant: Tenant;
  taskId: string | undefined;
  /** `null` before the first response for a task of which only the ID is known. */
  task: ScheduledTask | null;
  notBefore: number;
  dueBy: number;
  dueAt: number;
}

/** The gaps between polls of one task that callers want, unless they set others (Limits: Polling). */
const { shortest: GAP_MS, longest: LONGEST_GAP_MS } = LIMITS.recommendedPollIntervalMs;
export const USUAL_GAPS = { gapMs: GAP_MS, longestGapMs: LONGEST_GAP_MS };
/** The price is computed from this many polls, to a tenth, from this price upwards. */
const SAMPLE_SIZE = 50;
const PRECISION = 1.1;
const CHEAPEST_MS = 10;
/**
 * No poll costs more than this many times as long as it takes to poll all tasks once: otherwise "160 cold, each takes 42 s"
 * (tools/pacing/scenarios.ts) takes 50 s, not 39.
 */
const DEAREST = 2;

export interface PlannedPoll {
  poll: ScheduledPoll;
  task: ScheduledTask;
}

/** How many polls are due until the end of a budget, at the shortest and at the longest gaps. */
export function needOf(demand: readonly WeightedTask[], { now, until }: PollBudget) {
  let [atShortestGaps, atLongestGaps] = [0, 0];
  for (const { notBefore, task, weight } of demand) {
    const ms = Math.max(0, until - Math.max(notBefore, now));
    atShortestGaps += weight * Math.ceil(ms / task.gapMs);
    // Expected tasks do not lengthen the gaps of those that wait.
    if (task.submittedAt <= now) atLongestGaps += weight * Math.ceil(ms / task.longestGapMs);
  }
  return { atShortestGaps, atLongestGaps };
}

/** Sets the cheapest plans at the price that spends the budget. It is found by bisection. */
export function choosePlan(
  plan: PollPlan,
  demand: readonly WeightedTask[],
  tasks: number,
  budget: PollBudget,
): void {
  const kinds = new Set(demand.map(({ task }) => task.kind));
  for (const durations of kinds) durations.refresh();
  const planAt = (priceMs: number) => {
    for (const durations of kinds) plan.cheapest.set(durations, planPolls(durations, priceMs));
  };
  const dearestMs = (DEAREST * tasks * (budget.until - budget.now)) / Math.max(1, budget.polls);
  let [low, high] = [CHEAPEST_MS, Math.min(LIMITS.taskTimeoutMs, dearestMs)];
  while (high / low > PRECISION) {
    const middle = Math.sqrt(low * high);
    planAt(middle);
    const polls = demand.reduce((sum, each) => sum + each.weight * expectedPolls(each, plan, budget), 0);
    if (polls > budget.polls) low = middle;
    else high = middle;
  }
  // The higher price leaves requests unused: with it, "1000 in flight" (tools/pacing/scenarios.ts) takes 1.2 times as long.
  planAt(low);
}

/** How often a task will be polled within the budget's time, by a plan. */
function expectedPolls(
  { task, notBefore, dueBy }: WeightedTask,
  plan: PollPlan,
  { now, until }: PollBudget,
): number {
  const survivalAt = (time: number) => interpolate(task.kind.survival, time - task.submittedAt);
  let [polls, unfinished, unfinishedAt] = [0, 1, task.unfinishedAt];
  let next = Math.max(nextPollAt(plan, task, notBefore, dueBy), now);
  while (next < until && unfinished > 0.01) {
    polls += unfinished;
    const before = survivalAt(unfinishedAt);
    unfinished *= before > 0 ? survivalAt(next) / before : 0;
    unfinishedAt = next;
    next = nextPollAt(plan, { ...task, unfinishedAt }, next + task.gapMs, next + task.longestGapMs);
  }
  return polls;
}

/** When a task is polled next by a plan. */
export function nextPollAt(
  { isFree, keepsLongestGap, cheapest, window }: PollPlan,
  { kind, submittedAt, unfinishedAt }: ScheduledTask,
  notBefore: number,
  dueBy: number,
): number {
  const unfinishedMs = unfinishedAt - submittedAt;
  // A window may be used up before the last poll, so a task that will be too old in the next window is among the first here. One that
  // seems older than the task timeout is not: if a clock is wrong, those would be first in each window.
  const isLast =
    submittedAt + LAST_POLL_MS < window.until && window.from < submittedAt + LIMITS.taskTimeoutMs;
  if (isLast && notBefore <= window.from) return submittedAt;
  let nextMs: number = LIMITS.taskTimeoutMs + 1000;
  if (unfinishedMs < LAST_POLL_MS) {
    const plan = cheapest.get(kind);
    nextMs = isFree || plan === undefined ? 0 : nextAge(plan, unfinishedMs);
  }
  const planned = submittedAt + nextMs;
  return Math.max(notBefore, keepsLongestGap ? Math.min(planned, dueBy) : planned);
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
export function sampleOf(
  polls: readonly PlannedPoll[],
  tenants: readonly Tenant[],
  { now, until }: PollBudget,
): WeightedTask[] {
  const stride = Math.ceil(polls.length / SAMPLE_SIZE);
  const sample: WeightedTask[] = [];
  const kinds = new Map<Durations, Tenant>();
  for (const [index, { poll, task }] of polls.entries()) {
    kinds.set(task.kind, task.tenant);
    const weight = polls.length / Math.ceil(polls.length / stride);
    if (index % stride === 0) sample.push({ task, notBefore: poll.notBefore, dueBy: poll.dueBy, weight });
  }
  for (const [kind, tenant] of kinds) {
    const middle = (now + until) / 2;
    const task = { kind, tenant, submittedAt: middle, unfinishedAt: middle, ...USUAL_GAPS };
    const weight = tenants.reduce((sum, each) => sum + each.arrivalsWithin(kind, now, until - now), 0);
    sample.push({ task, notBefore: middle + GAP_MS, dueBy: middle + LONGEST_GAP_MS, weight });
  }
  return sample;
}

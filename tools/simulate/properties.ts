import type { Emulator } from "../../emulator/control/emulator.js";
import type { FaultRule } from "../../emulator/core/faults.js";
import type { Finding } from "../../emulator/core/log/audit.js";
import { priceOf } from "../../src/contract/prices.js";
import type { Task } from "../../src/contract/task.js";
import { AsyncMusicError } from "../../src/errors/base.js";
import { SubmissionOutcomeUnknownError } from "../../src/errors/connection-errors.js";
import { TaskFailedError } from "../../src/errors/task-errors.js";
import type { Journal } from "../../src/journal/journal.js";
import type { Told } from "./caller.js";
import type { Order, Plan } from "./plan.js";
import type { Submission, Submissions } from "./submissions.js";

/** The default time limit of an attempt. */
const ATTEMPT_MS = 30_000;

/** A caller's result, and the state of its last POST for that key at that time. */
export interface Received extends Told {
  own: Submission | null;
}

/** A world that has ended. */
export interface EndedWorld {
  plan: Plan;
  emulator: Emulator;
  journal: Journal;
  submissions: Submissions;
  told: readonly Received[];
  findings: readonly Finding[];
  beyondLimit: number;
  violate(text: string): void;
}

/** Checks the properties of a world that has ended. Duplicate POSTs were reported while it ran. */
export async function checkWorld(world: EndedWorld): Promise<void> {
  const tasks = await readTasks(world.emulator);
  for (const order of world.plan.orders) await checkOrder(world, order, tasks);
  checkTold(world);
  checkResponses(world);
  checkCredits(world, tasks);
  checkCompliance(world);
}

/** The number of requests that the rate limit refused: 0 in a world whose budget suffices. */
export function requestsBeyondLimit({ requests }: Emulator, { limit, faults }: Plan): number {
  const isMeant = limit < 120 || faults.some(({ fault }) => fault.kind === "status" && fault.status === 429);
  return isMeant ? 0 : requests.filter(({ status }) => status === 429).length;
}

/** No accepted task is lost: its caller receives the task or an unknown outcome. */
async function checkOrder(world: EndedWorld, { key, request }: Order, tasks: readonly Task[]): Promise<void> {
  const { journal, submissions, told, plan, violate } = world;
  const own = tasks.filter(({ input }) => JSON.stringify(input) === JSON.stringify(request.input));
  if (own.length > 1) violate(`${key} was paid ${own.length} times`);
  const [task] = own;
  const last = told.findLast((each) => each.key === key);
  if (last?.process !== "afterwards.0") return violate(`${key} has no result in the end`);

  const isUnknown = last.error instanceof SubmissionOutcomeUnknownError;
  if (isUnknown && !wasTroubled(plan, submissions, key)) {
    violate(`${key} is unknown in the end, although no fault affected it`);
  }
  if (isUnknown) checkEvidence(world, last.error as SubmissionOutcomeUnknownError, key, task);
  else if (task !== undefined && taskIdOf(last) !== task.task_id) {
    violate(
      `${key} has task ${task.task_id}, and its caller received ${taskIdOf(last) ?? String(last.error)}`,
    );
  }
  const entry = await journal.get(key);
  if (entry === null && task !== undefined) violate(`${key} is free, although it was paid for`);
  if (entry?.state === "submitted" && isUnknown)
    violate(`${key} is recorded, but its outcome was reported as unknown`);
}

/** If only one process at a time creates tasks, the evidence must not be wrong. */
function checkEvidence(
  { violate }: EndedWorld,
  { evidence }: SubmissionOutcomeUnknownError,
  key: string,
  task: Task | undefined,
): void {
  if (evidence === "not_created" && task !== undefined)
    violate(`${key} was created, but the evidence states the opposite`);
}

/** Whether a fault affected the key that can leave its outcome unknown. */
function wasTroubled({ processes, faults, outage }: Plan, submissions: Submissions, key: string): boolean {
  const all = submissions.of(key);
  const isTouched = processes.some(({ keys, events, abortsAt }) => {
    return keys.includes(key) && (events.size > 0 || abortsAt !== null);
  });
  const isSlow = faults.some(({ fault }) => fault.kind === "latency" || fault.kind === "stall");
  return (
    isTouched || isSlow || outage !== null || all.some(({ fate }) => fate === "open" || fate === "unknown")
  );
}

/**
 * Once a process has received a task's id, its error has this id, whatever happens afterwards, and later runs find the
 * task. While the POST is in flight, the error is an unknown outcome.
 */
function checkTold({ plan, told, submissions, violate }: EndedWorld): void {
  for (const { own, ...each } of told) {
    const { error, key, process } = each;
    if (own?.fate === "accepted" && error instanceof AsyncMusicError && taskIdOf(each) !== own.taskId)
      violate(`${process} created ${own.taskId} for ${key}, and received ${error.name} without its id`);
    if (own?.fate === "open" && !(error instanceof SubmissionOutcomeUnknownError))
      violate(`${process} received ${String(error)} for ${key}, whose POST was in flight`);
    const inTheEnd = told.findLast((one) => one.key === key);
    const learnt = submissions.of(key).find((one) => one.fate === "accepted" && livedOn(plan, one.process));
    if (learnt !== undefined && inTheEnd?.error instanceof SubmissionOutcomeUnknownError)
      violate(`${key} is unknown in the end, but ${learnt.process} had received its task`);
  }
}

/** A process that is not killed receives the outcome of each POST, also after its caller aborted. */
function checkResponses({ plan, submissions, violate }: EndedWorld): void {
  const hasResponse = ({ fault }: FaultRule) =>
    fault.kind === "latency" ? fault.ms < ATTEMPT_MS : !["stall", "disconnect"].includes(fault.kind);
  if (plan.outage !== null || !plan.faults.every(hasResponse)) return;
  for (const { key, process, fate } of plan.orders.flatMap((order) => submissions.of(order.key))) {
    if (fate === "open" && livedOn(plan, process)) violate(`${process} never received the outcome of ${key}`);
  }
}

/** Whether a process had no fault, so that it could record the outcome. */
function livedOn({ processes }: Plan, name: string): boolean {
  return processes.some((process) => name.startsWith(`${process.name}.`) && process.events.size === 0);
}

/** Every credit is accounted for: each task has one freeze and one end, and each returned song is settled. */
function checkCredits({ emulator, told, violate }: EndedWorld, tasks: readonly Task[]): void {
  const { ledger, balance } = emulator.accounts.get(emulator.accountId);
  const sum = (kind: string, taskId?: string) =>
    ledger
      .filter((entry) => entry.kind === kind && (taskId === undefined || entry.task_id === taskId))
      .reduce((total, { credits }) => total + credits, 0);

  for (const { task_id, model, type, status } of tasks) {
    const price = priceOf(model as never, type as never);
    const ends = status === "success" ? [price, 0] : [0, price];
    const found = [sum("freeze", task_id), sum("settle", task_id), sum("refund", task_id)];
    if (JSON.stringify(found) !== JSON.stringify([price, ...ends])) {
      violate(`task ${task_id} of ${price} credits ended in ${status}, with ${JSON.stringify(found)}`);
    }
  }
  const { available, frozen, total } = balance;
  const expected = sum("top_up") - sum("settle");
  if (frozen !== 0 || total !== expected || available !== expected) {
    violate(`the balance is ${JSON.stringify(balance)}, where ${expected} credits are left`);
  }
  for (const { key, song } of told) {
    if (song !== null && sum("settle", song.task_id) === 0) violate(`${key} was returned without a charge`);
  }
}

/**
 * The rules of the service. A process does not share polls and stated waits with another process, or with its own
 * earlier run, so these rules can be broken. The same applies if its clock is set or its requests arrive late.
 */
function checkCompliance({ plan, emulator, findings, beyondLimit, violate }: EndedWorld): void {
  if (beyondLimit > 0) violate(`${beyondLimit} requests were refused with 429, and the budget sufficed`);
  for (const finding of findings) {
    const { rule, detail } = finding;
    if (["polled_too_often", "ignored_retry_after"].includes(rule) && !knowsAll(plan)) continue;
    if (rule === "ignored_retry_after" && crossedRefusal(emulator, finding)) continue;
    violate(`the audit found ${rule}: ${detail}`);
  }
}

/** Whether another call received a 429 in the same millisecond, when this request was already in flight. */
function crossedRefusal({ requests }: Emulator, finding: Finding): boolean {
  return requests.some(
    ({ at, status, request_id }) => at === finding.at && status === 429 && request_id !== finding.request_id,
  );
}

/** Whether one process sends all requests of a world, without a restart, a changed clock or a delayed read. */
function knowsAll({ processes, faults }: Plan): boolean {
  const mishaps = processes.flatMap(({ events }) => [...events.values()]);
  const isMisled = mishaps.some(({ kind }) => kind === "crash" || kind === "clock");
  const isDelayed = faults.some(({ method, fault }) => method === "GET" && fault.kind === "latency");
  return processes.length === 1 && !isMisled && !isDelayed;
}

function taskIdOf({ song, error }: Told): string | null {
  if (song !== null) return song.task_id;
  if (error instanceof TaskFailedError) return error.task.task_id;
  return error instanceof AsyncMusicError ? error.taskId : null;
}

/** Reads every accepted task without the clients, so that none is left unfinished. */
async function readTasks({
  accounts,
  accountId,
  apiKey,
  url,
  fetch,
  changeLimits,
}: Emulator): Promise<Task[]> {
  changeLimits({ requests: 10_000, windowSeconds: 60 });
  const { ledger } = accounts.get(accountId);
  const ids = ledger.filter(({ kind }) => kind === "freeze").map(({ task_id }) => task_id);
  return Promise.all(
    ids.map(async (id) => {
      const response = await fetch(`${url}/api/v1/task/${id}`, { headers: { "x-api-key": apiKey } });
      const { data }: { data: Task } = await response.json();
      return data;
    }),
  );
}

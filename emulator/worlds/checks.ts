import { LIMITS } from "../../src/contract/service.js";
import type { Task } from "../../src/contract/task.js";
import { messageOfThrown } from "../../src/contract/thrown.js";
import { LONGEST_IN_FLIGHT_MS } from "../../src/journal/in-flight.js";
import type { Emulator } from "../control/emulator.js";
import type { Finding } from "../core/log/audit.js";
import { parseIsoTime, VIRTUAL_START } from "../time/clock.js";
import type { App, EndedOrder, EndedWorld, GiveUpReason, Post } from "./app.js";
import { secondsOf } from "./story.js";
import { isKnown, orderIn, type WorldSubmission } from "./submissions.js";
import type { OrderState, ProcessRequest, Surroundings } from "./surroundings.js";

/** Checks a world that has ended: first the built-in checks, then the program's own. */
export async function checkWorld(app: App, world: Surroundings): Promise<void> {
  const { plan, emulator, journal, stored, shared, submissions } = world;
  const findings = emulator.audit();
  const tasks = await readTasks(emulator);
  const orders = world.orders.map((order) => ({
    ...order,
    givenUp: [...order.givenUp.values()].map(({ reason }) => reason),
    tasks: tasksOf(order, world.orders, tasks),
    posts: submissions.of(order.id),
  }));
  for (const order of orders) checkOrder(world, order);
  checkRules(world, orders, findings);
  checkCredits(world);
  const ended: EndedWorld = { plan, orders, emulator, journal, stored, shared };
  try {
    await app.check?.(ended);
  } catch (error) {
    world.accuse("check", messageOfThrown(error));
  }
}

function checkOrder(world: Surroundings, order: EndedOrder): void {
  const { id, tasks, delivered } = order;
  const paid = tasks.filter(isPaid);
  const strange = delivered.find((taskId) => !tasks.some(({ task_id }) => task_id === taskId));
  if (paid.length > 1)
    world.accuse("charged_twice", `${id} was charged ${paid.length} times: ${listOf(paid)}`);
  else if (strange !== undefined)
    world.accuse("wrong_end", `${id} was delivered with ${strange}, which is not its task`);
  else if (delivered.length > 0 && paid.length === 0)
    world.accuse("wrong_end", `${id} was delivered, but its task did not succeed`);
  else if (delivered.length === 0) checkUndelivered(world, order);
}

/** One process may give an order up that another one still works on: one true reason is enough. */
function checkUndelivered(world: Surroundings, order: EndedOrder): void {
  const paid = order.tasks.filter(isPaid);
  const isCharged = paid.length > 0 ? `was charged (${listOf(paid)}), and ` : "";
  const givenUp = [...world.orderOf(order.id).givenUp.values()];
  const objections = givenUp.map(({ reason, at }) => objectionTo(reason, at, world, order));
  if (objections.length === 0)
    world.accuse("result_lost", `${order.id} ${isCharged}was neither delivered nor given up`);
  const [objection] = objections;
  if (objection && objections.every((each) => each !== null))
    world.accuse(
      paid.length > 0 ? "result_lost" : "wrong_end",
      `${order.id} ${isCharged}was given up as ${objection}`,
    );
}

/** Why a reason is not true; `null` if it may be. */
function objectionTo(
  reason: GiveUpReason,
  at: number,
  { occurred, submissions }: Surroundings,
  { id, tasks, posts }: EndedOrder,
): string | null {
  const paid = tasks.filter(isPaid);
  const isPaidFor = paid.length > 0;
  switch (reason) {
    case "failed":
      if (isPaidFor) return "failed, but its task succeeded";
      return tasks.length > 0 ? null : "failed, but the service created no task for it";
    case "refused":
      if (isPaidFor) return "refused, but its task succeeded";
      // Also a 429: a program may stop repeating it.
      return posts.some(({ received }) => received === "refusal" || received === "limited")
        ? null
        : "refused, but no POST was refused";
    case "declined":
      return isPaidFor ? "declined, but its task succeeded" : null;
    case "expired": {
      const hasExpired = paid.some(
        ({ completed_at }) => parseIsoTime(completed_at ?? "") + LIMITS.audioLifetimeMs <= at,
      );
      return hasExpired ? null : "expired, but none of its audio had expired";
    }
    case "unknown": {
      const sent = submissions.of(id);
      const isOfPaid = ({ taskId }: WorldSubmission) => paid.some(({ task_id }) => task_id === taskId);
      const known = occurred.has("storage")
        ? undefined
        : sent.find((each) => isKnown(each) && isOfPaid(each));
      if (known !== undefined)
        return `unknown, but ${known.sender.name} had received its task ${known.taskId}`;
      // A process may have recorded that it was about to send a POST, and then not have sent it.
      const isUnknown = !sent.every(isClear) || occurred.size > 0;
      if (isUnknown) return null;
      return sent.length === 0
        ? "unknown, but no POST was sent for it, and nothing prevented one"
        : "unknown, but the outcome of each of its POSTs was received";
    }
  }
}

/**
 * The rules of the service. A process cannot see what another process received, or what it received itself before a crash:
 * only the response to the same request in the same life counts. A delay on the network changes the distance
 * between requests, so the times of the program count.
 */
function checkRules(world: Surroundings, orders: readonly EndedOrder[], findings: readonly Finding[]): void {
  const broken = findings.filter((finding) => isBroken(finding, world, orders));
  const names = new Map(world.sent.map((request) => [request.requestId, nameOf(request)]));
  // Once a rule: a program that polls too fast breaks it at each poll.
  for (const [rule, [first, ...others]] of Map.groupBy(broken, (finding) => finding.rule)) {
    if (first === undefined) continue;
    const times = others.length === 0 ? "" : ` (${others.length + 1} times)`;
    const own = requestOf(first, world.sent);
    const detail = first.detail.replaceAll(/[\w.:-]+/g, (word) => names.get(word) ?? word);
    world.accuse("rule_broken", `${rule}, ${own ? nameOf(own) : first.request_id}: ${detail}${times}`);
  }
}

/** As its line in the story, which a reader can find. */
function nameOf({ name, sender, notedAt }: ProcessRequest): string {
  return `${name} of ${sender.name} at ${secondsOf(notedAt - VIRTUAL_START)}`;
}

function requestOf({ request_id, at }: Finding, sent: readonly ProcessRequest[]): ProcessRequest | undefined {
  return sent.find(
    ({ requestId, sentAt, receivedAt }) =>
      requestId === request_id && sentAt <= parseIsoTime(at) && parseIsoTime(at) <= receivedAt,
  );
}

/** Whether the program could know that the request of a finding breaks a rule. */
function isBroken(
  finding: Finding,
  { occurred, sent }: Surroundings,
  orders: readonly EndedOrder[],
): boolean {
  const { rule } = finding;
  const request = requestOf(finding, sent);
  const isOwn = (each: ProcessRequest) =>
    each.sender === request?.sender &&
    each.path === request.path &&
    each.submission?.order === request.submission?.order &&
    each !== request;
  const couldKnow = (each: ProcessRequest) =>
    rule === "polled_too_often"
      ? Math.abs((request?.sentAt ?? 0) - each.sentAt) < LIMITS.shortestPollIntervalMs
      : each.receivedOrdinal < (request?.sentOrdinal ?? 0) && (request?.sentAt ?? 0) < each.waitUntil;
  if (rule === "resubmitted_after_unknown_outcome" && request && isResolved(request, sent, orders))
    return false;
  const isTimed = rule === "polled_too_often" || rule === "ignored_retry_after";
  const isTimeSteady = !occurred.has("clock") && !occurred.has("freeze");
  return !isTimed || (isTimeSteady && sent.some((each) => isOwn(each) && couldKnow(each)));
}

/**
 * Whether the outcome of each earlier POST of the order could be known before this one was sent: its response refused it or
 * named its task, or the task was read, or `tasks_created` was read once the POST could no longer arrive
 * (Requests: longest time in flight), and had not counted a task of the POST.
 */
function isResolved(
  { submission, sentOrdinal }: ProcessRequest,
  sent: readonly ProcessRequest[],
  orders: readonly EndedOrder[],
): boolean {
  const earlier = sent.filter(
    (each) =>
      each.submission && each.submission.order === submission?.order && each.sentOrdinal < sentOrdinal,
  );
  const order = orders.find(({ id }) => id === submission?.order);
  const created = order === undefined ? [] : timesOfUnnamed(order);
  const wasNotCounted = (post: ProcessRequest) =>
    sent.some(
      ({ path, status, sentAt, receivedOrdinal }) =>
        path === "/account/usage" &&
        status === 200 &&
        sentAt >= post.sentAt + LONGEST_IN_FLIGHT_MS &&
        receivedOrdinal < sentOrdinal &&
        // A task of the same millisecond is that of a later POST.
        !created.some((time) => post.sentAt <= time && time < sentAt),
    );
  const wasRead = ({ submission }: ProcessRequest) =>
    sent.some(
      ({ path, status, receivedOrdinal }) =>
        path === `/task/${submission?.taskId}` && status === 200 && receivedOrdinal < sentOrdinal,
    );
  return earlier.every(
    (each) => (each.submission && isClear(each.submission)) || wasRead(each) || wasNotCounted(each),
  );
}

/** Whether the sender received the outcome. */
function isClear({ received }: Post): boolean {
  return received === "task" || received === "refusal" || received === "limited";
}

/** When the tasks of an order were created that no complete response named. */
function timesOfUnnamed({ tasks, posts }: EndedOrder): number[] {
  const named = posts.filter(isClear).map(({ taskId }) => taskId);
  const unnamed = tasks.filter(({ task_id }) => !named.includes(task_id));
  return unnamed.map(({ created_at }) => parseIsoTime(created_at ?? ""));
}

/** When every task has ended, no credits may be frozen. */
function checkCredits(world: Surroundings): void {
  const { accounts, accountId } = world.emulator;
  const { frozen } = accounts.get(accountId).balance;
  if (frozen !== 0) world.accuse("credit_leaked", `${frozen} credits are frozen after every task has ended`);
}

function tasksOf(order: OrderState, orders: readonly OrderState[], tasks: readonly Task[]): Task[] {
  return tasks.filter(({ input }) => orderIn(JSON.stringify(input), orders)?.id === order.id);
}

/** Reads each task of the first account, so that none is left unfinished. */
async function readTasks(emulator: Emulator): Promise<readonly Task[]> {
  const { apiKey, url, fetch } = emulator;
  emulator.changeLimits({ requests: 100_000, windowSeconds: 60 });
  const read = (id: string) => fetch(`${url}/api/v1/task/${id}`, { headers: { "x-api-key": apiKey } });
  await Promise.all(emulator.state().tasks.map(({ task_id }) => read(task_id)));
  // In today's words, whichever version of the service the world plays.
  return emulator.state().tasks;
}

function isPaid({ status }: Task): boolean {
  return status === "success";
}

function listOf(tasks: readonly Task[]): string {
  return tasks.map(({ task_id }) => `task ${task_id}`).join(" and ");
}

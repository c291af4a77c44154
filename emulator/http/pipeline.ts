import type { Submission } from "../core/audit.js";
import { takeFault } from "../core/faults.js";
import type { World } from "../core/state/world.js";
import { isoTime } from "../time/clock.js";
import { authenticate, countRequest, findCaller } from "./authentication.js";
import type { Answer, Delivery, Exchange } from "./exchange.js";
import { strikeAfter, strikeBefore, waitOut } from "./fault-stages.js";
import { recordExchange } from "./record.js";
import { Refusal, refusalAnswer } from "./refusal.js";
import { chooseRequestId } from "./request-id.js";
import { findRoute } from "./routes.js";
import { seal } from "./seal.js";
import { submissionOf } from "./submission.js";
import type { Visit } from "./visit.js";

/**
 * One exchange from its arrival to its end. Between the last wait and the answer nothing else can come in between:
 * whatever a request changes, it changes in one go.
 */
export async function carryOut(world: World, exchange: Exchange): Promise<Delivery> {
  const { era } = exchange.arrival;
  if (era.aborted) return PASSED;
  const cameAt = world.clock.now();
  const requestId = chooseRequestId(world.state, exchange);
  const fault = takeFault(world.state, exchange.method, exchange.path);
  const submission = submissionOf(world, exchange, requestId);
  const abandoned = submission === null ? null : findAbandoned(world, submission);
  let now = cameAt;
  if (fault?.kind === "latency") {
    const { submissions } = world;
    if (submission !== null) submissions.add(submission);
    try {
      await waitOut(fault.ms, world);
    } finally {
      if (submission !== null) submissions.delete(submission);
    }
    if (era.aborted) return PASSED;
    now = world.clock.now();
  }

  const visit: Visit = {
    world,
    exchange,
    requestId,
    cameAt,
    now,
    at: isoTime(now),
    submission,
    abandoned,
    params: [],
    caller: null,
    remaining: null,
  };
  const struck = strikeBefore(fault, visit);
  if (struck !== null) return recordExchange(visit, struck);

  const answering = answerTo(visit);
  const answer = answering instanceof Promise ? await answering : answering;
  if (era.aborted) return PASSED;
  return recordExchange(visit, strikeAfter(fault, visit, answer));
}

/** Another state has taken the place of the one that an exchange came to: the new one never sees it. */
const PASSED: Delivery = { kind: "disconnect" };

/** An equal submission whose caller has left before this one came. */
function findAbandoned({ submissions }: World, { fingerprint }: Submission): Submission | null {
  for (const each of submissions) if (each.hasLeft() && each.fingerprint() === fingerprint()) return each;
  return null;
}

/** The stages, in the order in which their errors win. */
function answerTo(visit: Visit): Answer | Promise<Answer> {
  try {
    const found = findRoute(visit.exchange);
    if (found instanceof Refusal) {
      countStray(visit);
      throw found;
    }
    const { route } = found;
    visit.params = found.params;
    if (route.access === "key") {
      authenticate(visit);
      countRequest(visit);
    }
    const answer = route.answer(visit);
    return answer instanceof Promise
      ? answer.then((later) => seal(visit, later), refuse(visit))
      : seal(visit, answer);
  } catch (error) {
    return refuse(visit)(error);
  }
}

/** Renders a refusal; anything else that was thrown is a fault of ours, and goes on. */
function refuse(visit: Visit): (error: unknown) => Answer {
  return (error) => {
    if (!(error instanceof Refusal)) throw error;
    return seal(visit, refusalAnswer(error, visit.world.state.policy));
  };
}

/** A request with a valid key that leads nowhere counts like any other, and shows what is left. */
function countStray(visit: Visit): void {
  visit.caller = findCaller(visit);
  if (visit.caller === null) return;
  try {
    countRequest(visit);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

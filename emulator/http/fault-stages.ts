import type { Fault } from "../core/faults.js";
import type { World } from "../core/state/world.js";
import { BODILESS_STATUSES, bodiless, bytesOf } from "./answers.js";
import { showRemaining } from "./authentication.js";
import type { Answer, Delivery } from "./exchange.js";
import { errorAnswer, usualErrorCode } from "./refusal.js";
import { seal } from "./seal.js";
import type { Visit } from "./visit.js";

/** A 429 always states its wait (Errors): this one where the fault names none. */
const USUAL_WAIT_SECONDS = 1;

/**
 * Latency: the exchange sleeps on the clock like everybody else who waits, and no longer than there is the state that it
 * came to.
 */
export async function waitOut(ms: number, { clock, replaced }: World): Promise<void> {
  const controller = new AbortController();
  const forget = replaced.add(() => controller.abort());
  clock.leave();
  try {
    await clock.sleep(ms, controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  } finally {
    clock.enter();
    forget();
  }
}

/** What comes instead of everything else; `null` where the request is to be carried out. */
export function strikeBefore(fault: Fault | null, visit: Visit): Delivery | null {
  if (fault?.kind === "stall") return { kind: "stall" };
  if (fault === null || !("when" in fault) || fault.when !== "before") return null;
  if (fault.kind === "disconnect") return { kind: "disconnect" };
  showRemaining(visit);
  return whole(statusAnswer(fault, visit));
}

/** What becomes of the answer to a request that was carried out. */
export function strikeAfter(fault: Fault | null, visit: Visit, answer: Answer): Delivery {
  switch (fault?.kind) {
    case "disconnect":
      return { kind: "disconnect" };
    case "status":
      return whole(statusAnswer(fault, visit));
    case "malformed":
      return cut(answer);
    default:
      return whole(answer);
  }
}

function whole(answer: Answer): Extract<Delivery, { kind: "answer" }> {
  return { kind: "answer", answer, breaksAfterBytes: null, isReadable: true };
}

/** JSON arrives as a complete answer that can't be parsed; anything else breaks off halfway. */
function cut(answer: Answer): Delivery {
  const bytes = bytesOf(answer.body);
  const half = Math.floor(bytes.byteLength / 2);
  if (answer.headers["Content-Type"] !== "application/json")
    return { ...whole(answer), breaksAfterBytes: half, isReadable: false };
  const headers = { ...answer.headers, "Content-Length": String(half) };
  return { ...whole({ ...answer, headers, body: bytes.slice(0, half) }), isReadable: false };
}

function statusAnswer(fault: Extract<Fault, { kind: "status" }>, visit: Visit): Answer {
  const { status, error_code: errorCode = usualErrorCode(status) } = fault;
  const { retry_after_seconds: wait = status === 429 ? USUAL_WAIT_SECONDS : undefined } = fault;
  const error = errorAnswer(status, errorCode, "This answer was asked for by a fault", wait);
  return seal(visit, BODILESS_STATUSES.includes(status) ? bodiless(error) : error);
}

import type { Core } from "../../core/core.js";
import type { Delivery, Exchange } from "../../http/exchange.js";
import { askedRequestId } from "../../http/request-id.js";
import { randomUuid } from "../../time/random.js";
import type { Emulator } from "../emulator.js";

/** What carries out the calls of an emulator's control plane, of which the emulator's state sees nothing. */
export function createControlPlane(
  emulator: Emulator,
  core: Core,
): (exchange: Exchange) => Promise<Delivery> {
  let calls = 0;
  return async (exchange) => {
    const requestId = askedRequestId(exchange) ?? randomUuid(core.state.seed, "control", calls++);
    // Few emulators are ever driven from outside, and the schemas take their time.
    const { answerControl } = await import("./answer-control.js");
    const answer = await answerControl(emulator, core, exchange, requestId);
    return { kind: "answer", answer, breaksAfterBytes: null, isReadable: true };
  };
}

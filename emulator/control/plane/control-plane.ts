import type { Core } from "../../core/core.js";
import { type HttpRequest, type HttpResponse, sentRequestId } from "../../http/messages.js";
import { randomUuid } from "../../time/random.js";
import type { Emulator } from "../emulator.js";

/** Responds to the calls of an emulator's control plane, which leave no trace in its state. */
export function createControlPlane(
  emulator: Emulator,
  core: Core,
): (request: HttpRequest) => Promise<HttpResponse> {
  let calls = 0;
  return async (request) => {
    const requestId = sentRequestId(request) ?? randomUuid(core.state.seed, "control", calls++);
    // Loaded on demand: most emulators are never called from outside, and the schemas take a while.
    const { answerControl } = await import("./answer-control.js");
    return answerControl(emulator, core, request, requestId);
  };
}

import * as z from "zod/mini";
import type { HttpResponse } from "../../../http/messages.js";
import * as answer from "../answer-schemas.js";
import { call } from "../call.js";
import { streamRequests } from "../stream-requests.js";

/** What the service has seen. */
export const observationCalls = [
  call(
    {
      method: "GET",
      path: "/requests",
      summary: "Every exchange with the service, oldest first.",
      status: 200,
      answers: z.object({ requests: z.array(answer.loggedRequest) }),
    },
    ({ emulator }) => ({ requests: emulator.requests }),
  ),
  call(
    {
      method: "GET",
      path: "/requests/stream",
      summary: "The same as server-sent events: first those that were, then each as it ends.",
      status: 200,
      answers: "text/event-stream",
    },
    ({ core }): HttpResponse => ({
      status: 200,
      headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" },
      body: new Uint8Array(),
      stream: streamRequests(core),
      errorCode: null,
    }),
  ),
  call(
    {
      method: "GET",
      path: "/audit",
      summary: "Every rule of the service that a client broke.",
      status: 200,
      answers: z.object({ findings: z.array(answer.finding) }),
    },
    ({ emulator }) => ({ findings: emulator.audit() }),
  ),
];

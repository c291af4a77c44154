import * as z from "zod/mini";
import { API_PREFIX } from "../../../../src/contract/service.js";
import { objectOf, oneOf } from "../../../core/checks.js";
import { outcomeSchema } from "../../../core/providers.js";
import { artResponse, clipAudioResponse } from "../../../http/files.js";
import { Refusal } from "../../../http/messages.js";
import { serviceOf } from "../../../http/service.js";
import { requireAccount } from "../../require-account.js";
import { call, callWithBody } from "../call.js";
import { ledgerRows, overviewData, taskDetails, taskRows } from "../look-data.js";
import * as answer from "../look-schemas.js";
import { API_PATH, sendAs } from "../send-as.js";

const requestSchema = objectOf({
  method: oneOf("GET", "POST"),
  path: z.string("be a string").check(z.regex(API_PATH, `begin with ${API_PREFIX}/`)),
  body: z.optional(z.unknown()),
  outcome: z.optional(outcomeSchema),
});

/** What an observer asks who stays and looks on, as the dashboard does. Looking moves nothing but the hour. */
export const lookCalls = [
  call(
    {
      method: "GET",
      path: "/overview",
      summary:
        "All that is small, and how much there is of the rest. Like every look, this applies the hour.",
      status: 200,
      answers: answer.overview,
    },
    ({ core, request }) => overviewData(core, request.origins),
  ),
  call(
    {
      method: "GET",
      path: "/tasks/from/{ordinal}",
      summary: "The tasks from this place on, in the order of their creation, in short.",
      status: 200,
      answers: z.object({ tasks: z.array(answer.taskRow) }),
      errors: [404],
    },
    ({ core, params: [ordinal = ""] }) => ({ tasks: taskRows(core, placeOf(ordinal)) }),
  ),
  call(
    {
      method: "GET",
      path: "/tasks/{task_id}",
      summary: "A task as the API would answer it now, what its provider plans, and what it cost.",
      status: 200,
      answers: answer.taskDetails,
      errors: [404],
    },
    ({ core, request, params: [taskId = ""] }) => taskDetails(core, taskId, request.origins),
  ),
  call(
    {
      method: "GET",
      path: "/accounts/{account_id}/ledger/from/{place}",
      summary: "The movements of an account's credits from this place on, oldest first.",
      status: 200,
      answers: answer.ledgerEntries,
      errors: [404],
    },
    ({ core, params: [accountId = "", place = ""] }) => ({
      entries: ledgerRows(core, accountId, placeOf(place)),
    }),
  ),
  callWithBody(
    {
      method: "POST",
      path: "/accounts/{account_id}/requests",
      summary: "Send the API a request with a key of the account. It counts, and is logged, like any other.",
      status: 200,
      answers: answer.sent,
      errors: [404],
    },
    requestSchema,
    ({ emulator, core, request, params: [accountId = ""], body }) =>
      sendAs(serviceOf(emulator), requireAccount(core, accountId), body, request.origins),
  ),
  call(
    {
      method: "GET",
      path: "/clips/{clip_id}/audio",
      summary: "What a clip's audio_url leads to, without a trace in the log. It knows ranges.",
      status: 200,
      answers: "audio/*",
      errors: [404],
    },
    ({ core, request, params: [clipId = ""] }) =>
      clipAudioResponse({ core, request, now: core.clock.now() }, clipId),
  ),
  call(
    {
      method: "GET",
      path: "/clips/{clip_id}/art",
      summary: "A clip's cover art.",
      status: 200,
      answers: "image/svg+xml",
      errors: [404],
    },
    ({ core, params: [clipId = ""] }) => artResponse(core, clipId, "small"),
  ),
];

function placeOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Refusal("not_found", "A place is a whole number of 0 or more");
  return Number(text);
}

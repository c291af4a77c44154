import * as z from "zod/mini";
import { numberBetween, objectOf, wholeNumber } from "../../../core/checks.js";
import { MOST_CREDITS } from "../../../core/ledger.js";
import { policyChangesSchema } from "../../../core/policy.js";
import { isoTime } from "../../../time/clock.js";
import { viewState } from "../../emulator-state.js";
import * as answer from "../answer-schemas.js";
import { type Asked, call, callWithBody } from "../call.js";
import { limitsData, limitsOption, limitsSchema } from "../limits-data.js";

const resetSchema = objectOf({
  seed: z.optional(wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
  credits: z.optional(wholeNumber(0, MOST_CREDITS)),
  policy: z.optional(z.union([z.literal("vary"), policyChangesSchema], "be a policy's fields, or vary")),
  limits: z.optional(limitsSchema),
});
const advanceSchema = objectOf({ seconds: numberBetween(0, 1e13) });

/** Time, and the state as a whole. */
export const worldCalls = [
  callWithBody(
    {
      method: "POST",
      path: "/reset",
      summary: "Begin anew. The clock's mode and the API key stay.",
      status: 200,
      answers: z.object({ account_id: z.uuid(), api_key: z.string() }),
    },
    resetSchema,
    ({ emulator, body: { limits, ...changes } }) =>
      emulator.reset({ ...changes, ...(limits !== undefined && { limits: limitsOption(limits) }) }),
  ),
  call(
    {
      method: "GET",
      path: "/state",
      summary: "Look at everything. Like every look, this applies the hour to all tasks.",
      status: 200,
      answers: answer.state,
    },
    stateData,
  ),
  callWithBody(
    {
      method: "POST",
      path: "/clock/advance",
      summary: "Move time forward, to 9900-01-01T00:00:00Z at the latest.",
      status: 200,
      answers: z.object({ now: answer.time }),
    },
    advanceSchema,
    async ({ core: { clock }, body: { seconds } }) => {
      // Who advances the time waits like everybody else, and must not keep it from moving.
      clock.leave();
      await Promise.resolve(seconds * 1000)
        .then(clock.advance)
        .finally(() => clock.enter());
      return { now: isoTime(clock.now()) };
    },
  ),
  call(
    {
      method: "GET",
      path: "/snapshot",
      summary: "Take the whole state out.",
      status: 200,
      answers: answer.snapshot,
    },
    ({ emulator }) => emulator.snapshot(),
  ),
  callWithBody(
    {
      method: "PUT",
      path: "/snapshot",
      summary: "Put a whole state in, and go on from there.",
      status: 204,
      answers: null,
    },
    answer.snapshot,
    ({ emulator, body }) => {
      emulator.restore(body);
      return undefined;
    },
  ),
];

function stateData({ emulator, core, request }: Asked<null>): object {
  return {
    ...viewState(core, emulator.accounts, request.origins),
    limits: limitsData(emulator.limits),
  };
}
